// @ts-check
'use strict';

const { DaemonError } = require('./daemon');
const { findEndpoint, readEndpoint, withPort } = require('./endpoint');
const { captureFromPages, flushPages } = require('./page-capture');

/**
 * @typedef {import('@playwright/test').Browser} Browser
 * @typedef {import('@playwright/test').BrowserContext} BrowserContext
 * @typedef {import('./test-run').TestRun} TestRun
 * @typedef {{ browser?: string, browser_context_id: string, byScript: boolean }} ContextAddress where a context's records are
 * @typedef {{ name: string, contextIds: () => Promise<string[]> }} Watched a browser that the daemon watches
 */

/** Sees to it that each browser context of a worker is watched, and belongs to the test that runs. */
class Watcher {
  /**
   * @param {import('./daemon').Daemon} daemon
   * @param {'cdp' | 'script'} capture
   * @param {(reason: string) => void} warn
   */
  constructor(daemon, capture, warn) {
    this.daemon = daemon;
    this._capture = capture;
    this.warn = warn;
    /** @type {WeakMap<Browser, Promise<void>>} */
    this._browsers = new WeakMap();
    /** @type {Map<BrowserContext, ContextAddress>} */
    this._open = new Map();
    /** @type {Set<string>} */
    this._known = new Set();
    /** @type {TestRun | null} */
    this._run = null;
  }

  /**
   * Watch what is launched from now on.
   * @param {import('@playwright/test').BrowserType} type
   * @param {readonly string[]} args those of the project's launchOptions, which Playwright takes if a call has none
   */
  watchLaunches(type, args) {
    const byPort = type.name() === 'chromium' && this._capture === 'cdp' && !this.daemon.gone;
    const options = (/** @type {any} */ given) => (byPort ? { ...given, args: withPort(given?.args ?? args) } : given);
    const { launch, launchPersistentContext } = type;
    type.launch = async (given) => {
      const browser = await launch.call(type, options(given));
      await this.watch(browser);
      return browser;
    };
    type.launchPersistentContext = async (directory, given) => {
      const context = await launchPersistentContext.call(type, directory, options(given));
      await this._quietly(() => this._watchPersistent(context, byPort && directory));
      return context;
    };
    return () => Object.assign(type, { launch, launchPersistentContext });
  }

  /** @param {Browser} browser launched, or connected to */
  watch(browser) {
    let watching = this._browsers.get(browser);
    if (!watching) {
      watching = this._quietly(() => this._watchBrowser(browser));
      this._browsers.set(browser, watching);
    }
    return watching;
  }

  /** @param {Browser} browser */
  async _watchBrowser(browser) {
    const watched = await this._overCdp(browser);
    const { newContext } = browser;
    let before = Promise.resolve();
    browser.newContext = async (...given) => {
      // One after the other, so that it is clear which context is new.
      const turn = before;
      /** @type {() => void} */
      let done = () => {};
      before = new Promise((resolve) => (done = resolve));
      await turn;
      try {
        const context = await newContext.apply(browser, given);
        await this._quietly(() => this.adopt(context, watched));
        return context;
      } finally {
        done();
      }
    };
  }

  /** @param {Browser} browser @returns {Promise<Watched | null>} null: its pages have to report by themselves */
  async _overCdp(browser) {
    if (this._capture !== 'cdp' || browser.browserType().name() !== 'chromium') return null;
    let session;
    let endpoint;
    try {
      session = await browser.newBrowserCDPSession();
      endpoint = await findEndpoint(session);
    } catch {
      // On another machine, or not a Chromium that opens ports.
      return null;
    }
    const name = await this.daemon.addBrowser(endpoint);
    const contextIds = async () => (await session.send('Target.getBrowserContexts')).browserContextIds;
    (await contextIds()).forEach((/** @type {string} */ id) => this._known.add(id));
    return { name, contextIds };
  }

  /** @param {BrowserContext} context @param {string | false} directory its profile */
  async _watchPersistent(context, directory) {
    if (!directory) return this.adopt(context, null);
    const name = await this.daemon.addBrowser(await readEndpoint(directory));
    const session = await context.newCDPSession(context.pages()[0] ?? (await context.newPage()));
    const { targetInfo } = await session.send('Target.getTargetInfo');
    await session.detach();
    return this.adopt(context, { name, contextIds: async () => [targetInfo.browserContextId ?? ''] });
  }

  /**
   * A context that is new, or that Playwright uses again for this test.
   * @param {BrowserContext} context @param {Watched | null} watched
   */
  async adopt(context, watched) {
    if (this._open.has(context)) return;
    /** @type {ContextAddress} */
    let address;
    if (watched) {
      const fresh = (await watched.contextIds()).filter((id) => !this._known.has(id));
      // A worker runs one test at a time: whatever context is new belongs to it.
      fresh.forEach((id) => this._known.add(id));
      if (!fresh.length) return;
      address = { browser: watched.name, browser_context_id: fresh[0], byScript: false };
    } else {
      address = { browser_context_id: await captureFromPages(context, this.daemon), byScript: true };
    }
    this._open.set(context, address);
    context.once('close', () => this._open.delete(context));
    await this._run?.addContext(address);
  }

  /** @param {TestRun} run a test begins; contexts that are open already are its own now */
  async begin(run) {
    this._run = run;
    for (const address of [...this._open.values()]) await this._quietly(() => run.addContext(address));
  }

  /** All that pages have to say is said. */
  async flush() {
    const reporting = [...this._open].filter(([, address]) => address.byScript);
    await Promise.all(reporting.map(([context]) => flushPages(context)));
  }

  /** A test has ended. */
  finish() {
    this._run = null;
  }

  /** @param {() => Promise<unknown>} work what must never fail a test */
  async _quietly(work) {
    if (this.daemon.gone) return;
    try {
      await work();
    } catch (error) {
      if (error instanceof DaemonError && (error.status === 404 || error.status === 405)) {
        this.daemon.gone = `gasoline-cdp at ${this.daemon.url} is too old for this fixture`;
      }
      this.warn(error instanceof Error ? error.message : String(error));
    }
  }
}

module.exports = { Watcher };
