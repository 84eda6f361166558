// @ts-check
'use strict';

const fs = require('node:fs');
const http = require('node:http');
const os = require('node:os');
const path = require('node:path');

const DEFAULT_PORT = 7890;
// Far above what an answer takes. A daemon that needs longer is given up, once: the tests go on without it.
const QUICK_MS = 10_000;
const SLOW_MS = 30_000;
// Above the daemon's own limit for a heap snapshot.
const HEAP_MS = 90_000;

/** @typedef {{ url: string, token?: string | null, ingestKey?: string }} Access */

/** The same rule as the daemon's own (runtime_directory). */
function runtimeDirectory() {
  const named = process.env.GASOLINE_RUNTIME_DIR;
  if (named) return named;
  if (process.platform === 'win32') {
    return path.join(process.env.LOCALAPPDATA || path.join(os.homedir(), 'AppData', 'Local'), 'gasoline-cdp', 'run');
  }
  const uid = process.getuid?.() ?? 0;
  try {
    if (fs.statSync(`/run/user/${uid}`).uid === uid) return `/run/user/${uid}/gasoline-cdp`;
  } catch {
    // A machine without systemd.
  }
  return `/tmp/gasoline-cdp-${uid}`;
}

/** @returns {(Access & { port: number }) | null} what the running daemon has published, for this user only */
function readPublished() {
  const directory = runtimeDirectory();
  try {
    const status = fs.lstatSync(directory);
    if (process.getuid && (status.uid !== process.getuid() || status.mode & 0o022)) return null;
    const { url, port, token, ingest_key: ingestKey, pid } = JSON.parse(fs.readFileSync(path.join(directory, 'http.json'), 'utf8'));
    // A daemon that was killed leaves its file behind.
    process.kill(pid, 0);
    return { url, port, token, ingestKey };
  } catch {
    return null;
  }
}

/**
 * `gasoline-cdp ci` says where it listens; else it is the daemon that runs.
 * @param {{ host: string, port: number | undefined }} options
 * @returns {Access}
 */
function findAccess({ host, port }) {
  const { GASOLINE_URL, GASOLINE_TOKEN, GASOLINE_INGEST_KEY } = process.env;
  if (GASOLINE_URL) return { url: GASOLINE_URL, token: GASOLINE_TOKEN, ingestKey: GASOLINE_INGEST_KEY };
  const published = readPublished();
  if (published && (port === undefined || published.port === port)) return published;
  return { url: `http://${host}:${port ?? DEFAULT_PORT}`, token: GASOLINE_TOKEN, ingestKey: GASOLINE_INGEST_KEY };
}

class DaemonError extends Error {
  /** @param {number} status @param {string} message */
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** Speaks to gasoline-cdp. After it failed to answer once, nothing more is asked: `gone` says why, `lost` that it fell silent. */
class Daemon {
  /** @param {Access} access */
  constructor(access) {
    this._access = access;
    this._agent = new http.Agent({ keepAlive: true });
    /** @type {string | null} */
    this.gone = null;
    this.lost = false;
  }

  get url() {
    return this._access.url;
  }

  /** Whether it is there, and lets us in: on the usual port, it may be somebody else's. */
  async isReady() {
    try {
      // One that has just been started on a busy machine takes its time.
      await this.ask('GET', '/health', undefined, SLOW_MS);
      await this.ask('GET', '/browsers', undefined, SLOW_MS);
      return true;
    } catch (error) {
      const status = error instanceof DaemonError ? error.status : 0;
      if (status === 401 || status === 403) this.gone ??= error.message;
      // An older one does not know the second question.
      return status === 404;
    }
  }

  /** @param {string} wsEndpoint @returns {Promise<string>} the browser's name */
  async addBrowser(wsEndpoint) {
    const answer = await this._json('POST', '/browsers', { ws_endpoint: wsEndpoint }, SLOW_MS);
    return answer.browser;
  }

  /** @param {Record<string, unknown>} boundary */
  async markBoundary(boundary) {
    await this._json('POST', '/test-boundary', boundary, QUICK_MS);
  }

  /** @param {Record<string, unknown>} selection @returns {Promise<string>} */
  snapshot(selection) {
    return this.ask('GET', `/snapshot?${query(selection)}`, undefined, SLOW_MS);
  }

  /** @param {Record<string, unknown>} selection @returns {Promise<string>} */
  summary(selection) {
    return this.ask('GET', `/snapshot?${query({ ...selection, format: 'summary' })}`, undefined, SLOW_MS);
  }

  /** @param {Record<string, unknown>} selection @returns {Promise<string>} */
  har(selection) {
    return this.ask('GET', `/artifact?${query({ ...selection, format: 'har' })}`, undefined, SLOW_MS);
  }

  /** @param {Record<string, unknown>} question @returns {Promise<any>} */
  verdict(question) {
    return this._json('POST', '/verdict', question, SLOW_MS);
  }

  /** @param {Record<string, unknown>} question @returns {Promise<any>} */
  expectNoLeaks(question) {
    return this._json('POST', '/expect-no-leaks', question, HEAP_MS);
  }

  /** @param {string} endpoint @param {unknown} batch @param {string} origin the page's */
  async ingest(endpoint, batch, origin) {
    const key = encodeURIComponent(this._access.ingestKey ?? '');
    await this.ask('POST', `/${endpoint}?key=${key}`, batch, QUICK_MS, { origin });
  }

  /** @param {string} method @param {string} target @param {unknown} body @param {number} timeout */
  async _json(method, target, body, timeout) {
    return JSON.parse(await this.ask(method, target, body, timeout));
  }

  /**
   * @param {string} method @param {string} target @param {unknown} [body] @param {number} [timeout]
   * @param {Record<string, string>} [headers] @returns {Promise<string>}
   */
  async ask(method, target, body, timeout = QUICK_MS, headers = {}) {
    if (this.gone) throw new DaemonError(0, this.gone);
    const data = body === undefined ? '' : JSON.stringify(body);
    const { status, text } = await this._exchange(method, target, data, timeout, headers);
    if (status >= 400) throw new DaemonError(status, errorMessage(status, text));
    return text;
  }

  /**
   * @param {string} method @param {string} target @param {string} data @param {number} timeout
   * @param {Record<string, string>} headers @returns {Promise<{ status: number, text: string }>}
   */
  _exchange(method, target, data, timeout, headers) {
    const { url, token } = this._access;
    const given = { ...(token ? { authorization: `Bearer ${token}` } : {}), 'content-length': Buffer.byteLength(data), ...headers };
    return new Promise((resolve, reject) => {
      const fail = (/** @type {string} */ reason) => {
        this.gone ??= `gasoline-cdp at ${url} ${reason}`;
        this.lost = true;
        reject(new DaemonError(0, this.gone));
      };
      const request = http.request(url + target, { method, headers: given, agent: this._agent, timeout }, (response) => {
        const chunks = /** @type {Buffer[]} */ ([]);
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('error', () => fail('broke off its answer'));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }));
      });
      request.on('timeout', () => request.destroy(new Error('timeout')));
      request.on('error', (error) => {
        // A connection that the daemon closed while it was idle says nothing about the daemon.
        if (request.reusedSocket && /** @type {any} */ (error).code === 'ECONNRESET') {
          this._exchange(method, target, data, timeout, headers).then(resolve, reject);
        } else fail(error.message === 'timeout' ? `did not answer within ${timeout / 1000} s` : 'is not there (any more)');
      });
      request.end(data);
    });
  }
}

/** @param {Record<string, unknown>} values */
function query(values) {
  const given = Object.entries(values).filter(([, value]) => value !== undefined && value !== null);
  return new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
}

/** @param {number} status @param {string} text */
function errorMessage(status, text) {
  try {
    return JSON.parse(text).message || `status ${status}`;
  } catch {
    return `status ${status}`;
  }
}

module.exports = { Daemon, DaemonError, findAccess };
