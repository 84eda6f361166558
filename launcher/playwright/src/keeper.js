// @ts-check
'use strict';

// A process of its own: runs gasoline-cdp while the test run lives, then ends it.
// Workers come and go (Playwright replaces one after each failing test), so none of them can be its parent.

const { spawn } = require('node:child_process');

const LOOK_AGAIN_MS = 200;
const [runner, port] = process.argv.slice(2);

const daemon = spawn('gasoline-cdp', ['launch', '--headless', '--temporary-profile', '--port', port], {
  stdio: ['ignore', 'ignore', 'pipe'],
});
daemon.stderr.on('data', (chunk) => process.stderr.write(chunk));
// The worker that reads us may be gone.
process.stderr.on('error', () => {});
daemon.once('error', () => {
  process.stderr.write('The command gasoline-cdp was not found: install it (pip install gasoline-cdp).\n');
  process.exitCode = 1;
});
daemon.once('close', () => clearInterval(watching));

const watching = setInterval(() => {
  try {
    process.kill(Number(runner), 0);
  } catch {
    daemon.kill('SIGTERM');
    clearInterval(watching);
  }
}, LOOK_AGAIN_MS);
