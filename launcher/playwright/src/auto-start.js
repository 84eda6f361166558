// @ts-check
'use strict';

const { spawn } = require('node:child_process');
const path = require('node:path');
const { setTimeout: pause } = require('node:timers/promises');
const { Daemon, readPublished } = require('./daemon');

// Far above what a start takes, also on a busy machine.
const START_MS = 60_000;
const LOOK_AGAIN_MS = 50;

/**
 * Start gasoline-cdp for the whole run. Workers come and go (Playwright replaces one after each failing test), so it
 * lives as long as the process that starts them. All workers try at once: one daemon is made, and the others find it.
 * @param {number | undefined} port
 * @returns {Promise<string | null>} what went wrong
 */
async function startDaemon(port) {
  const wait = [process.execPath, path.join(__dirname, 'until-ended.js'), String(process.ppid)];
  const daemon = spawn('gasoline-cdp', ['ci', '--no-browser', '--port', String(port ?? 0), '--', ...wait], {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  daemon.stderr.on('data', (chunk) => (said = (said + chunk).slice(-2000)));
  daemon.once('error', () => (said = 'The command gasoline-cdp was not found: pip install gasoline-cdp'));
  /** @type {Promise<'ended'>} */
  const ended = new Promise((resolve) => daemon.once('close', () => resolve('ended')));
  const deadline = Date.now() + START_MS;
  try {
    while (Date.now() < deadline) {
      const published = readPublished();
      if (published && (await new Daemon(published).isReady())) return null;
      const state = await Promise.race([ended, pause(LOOK_AGAIN_MS)]);
      if (state === 'ended' && !said.includes('already running')) return `not started. ${said.trim().split('\n').pop() ?? ''}`;
      if (state === 'ended') await pause(LOOK_AGAIN_MS);
    }
    return `not started within ${START_MS / 1000} s.`;
  } finally {
    // It outlives this worker.
    daemon.stderr.destroy();
    daemon.unref();
  }
}

module.exports = { startDaemon };
