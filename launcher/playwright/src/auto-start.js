// @ts-check
'use strict';

const { spawn } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { setTimeout: pause } = require('node:timers/promises');

/** @typedef {import('./daemon').Access} Access */

// Far above what a start takes, also on a busy machine.
const START_MS = 60_000;
const LOOK_AGAIN_MS = 50;

/**
 * Start gasoline-cdp for the whole run. Workers come and go (Playwright replaces one after each failing test), so it
 * lives as long as the process that starts them. The first worker starts it, and tells the others by a file.
 * @param {number | undefined} port
 * @returns {Promise<Access | string>} where it listens, or what went wrong
 */
async function startDaemon(port) {
  const file = path.join(os.tmpdir(), `gasoline-cdp-run-${process.getuid?.() ?? 0}-${process.ppid}`);
  const deadline = Date.now() + START_MS;
  const daemon = create(file) ? spawnDaemon(port, file) : null;
  try {
    for (;;) {
      const access = readAccess(file);
      if (access) return access;
      if (daemon?.failed()) return `not started: ${daemon.failed()}`;
      if (!fs.existsSync(file)) return 'not started, see the message of another worker';
      if (Date.now() > deadline) return `not started within ${START_MS / 1000} s`;
      await pause(LOOK_AGAIN_MS);
    }
  } finally {
    daemon?.leave();
  }
}

/** @param {string} file @returns {boolean} whether we are the first */
function create(file) {
  try {
    fs.closeSync(fs.openSync(file, 'wx', 0o600));
    return true;
  } catch {
    return false;
  }
}

/** @param {string} file @returns {Access | null} null as long as the daemon starts */
function readAccess(file) {
  try {
    // In a directory that others can write to.
    const { uid } = fs.lstatSync(file);
    return process.getuid && uid !== process.getuid() ? null : JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}

/** @param {number | undefined} port @param {string} file */
function spawnDaemon(port, file) {
  const command = [process.execPath, path.join(__dirname, 'run-command.js'), String(process.ppid), file];
  const daemon = spawn('gasoline-cdp', ['ci', '--no-browser', '--port', String(port ?? 0), '--', ...command], {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  let failure = '';
  const fail = (/** @type {string} */ reason) => {
    failure = reason;
    fs.rmSync(file, { force: true });
  };
  daemon.stderr.on('data', (chunk) => (said = (said + chunk).slice(-2000)));
  daemon.once('error', () => fail('the command gasoline-cdp was not found (pip install gasoline-cdp)'));
  daemon.once('close', () => fail(said.trim().split('\n').pop() || 'it ended at once'));
  return {
    failed: () => failure,
    // It outlives this worker.
    leave: () => {
      daemon.removeAllListeners('close');
      daemon.stderr.destroy();
      daemon.unref();
    },
  };
}

module.exports = { startDaemon };
