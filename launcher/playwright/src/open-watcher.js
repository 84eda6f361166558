// @ts-check
'use strict';

const { startDaemon } = require('./auto-start');
const { Daemon, findAccess } = require('./daemon');
const { Watcher } = require('./watcher');

/**
 * The watcher of a worker, or null: then the tests run as without us. If `gasoline-cdp ci` was there when the run began,
 * and is there no more, failing tests still say so.
 * @param {{ host: string, port: number | undefined, autoStart: boolean, capture: 'cdp' | 'script' }} options
 * @param {import('@playwright/test').WorkerInfo} workerInfo
 */
async function openWatcher(options, workerInfo) {
  const warned = new Set();
  const warn = (/** @type {string} */ reason) => {
    // Once, and not by every worker.
    if (workerInfo.parallelIndex === 0 && !warned.has(reason)) process.stderr.write(`gasoline-cdp: ${reason}\n`);
    warned.add(reason);
  };
  let daemon = new Daemon(findAccess(options));
  if (!(await daemon.isReady()) && options.autoStart) {
    const started = await startDaemon(options.port);
    if (typeof started === 'string') {
      warn(`${started}; the tests run without evidence`);
      return null;
    }
    daemon = new Daemon(started);
    await daemon.isReady();
  }
  if (daemon.gone) {
    warn(`${daemon.gone.replace(/\.$/, '')}; the tests run without evidence`);
    if (!daemon.lost || !process.env.GASOLINE_URL) return null;
  }
  return new Watcher(daemon, options.capture, warn);
}

module.exports = { openWatcher };
