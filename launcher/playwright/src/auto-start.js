// @ts-check
'use strict';

const { spawn } = require('node:child_process');
const path = require('node:path');
const { setTimeout: pause } = require('node:timers/promises');
const { Daemon, readPublished } = require('./daemon');

// A browser starts with it, on a busy machine.
const START_MS = 60_000;
const LOOK_AGAIN_MS = 50;

/**
 * Start gasoline-cdp for the whole run: it ends when the process that runs the workers ends. All workers try at once;
 * one of them makes it, and the others find that one.
 * @param {number | undefined} port
 * @returns {Promise<string | null>} what went wrong
 */
async function startDaemon(port) {
  const keeper = spawn(process.execPath, [path.join(__dirname, 'keeper.js'), String(process.ppid), String(port ?? 0)], {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  keeper.stderr.on('data', (chunk) => (said = (said + chunk).slice(-2000)));
  /** @type {Promise<'ended'>} */
  const ended = new Promise((resolve) => keeper.once('close', () => resolve('ended')));
  const deadline = Date.now() + START_MS;
  try {
    while (Date.now() < deadline) {
      const published = readPublished();
      if (published && (await new Daemon(published).isReady())) return null;
      if ((await Promise.race([ended, pause(LOOK_AGAIN_MS)])) === 'ended' && !said.includes('already running')) {
        return `gasoline-cdp did not start. ${said.trim().split('\n').pop() ?? ''}`;
      }
      await pause(LOOK_AGAIN_MS);
    }
    return `gasoline-cdp did not start within ${START_MS / 1000} s.`;
  } finally {
    keeper.stderr.destroy();
    keeper.unref();
  }
}

module.exports = { startDaemon };
