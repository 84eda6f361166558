// @ts-check
'use strict';

const { execFile } = require('node:child_process');
const fs = require('node:fs/promises');
const path = require('node:path');
const { promisify } = require('node:util');

const PORT = '--remote-debugging-port';

/**
 * Chromium's arguments with a port of its own beside Playwright's pipe. A port that the project chose stays.
 * @param {readonly string[]} args
 */
function withPort(args) {
  return args.some((argument) => argument.startsWith(PORT)) ? [...args] : [...args, `${PORT}=0`];
}

/**
 * Where a Chromium of this machine listens: it writes the port that it chose into its profile, which its command line
 * names.
 * @param {import('@playwright/test').CDPSession} session the browser's
 */
async function findEndpoint(session) {
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  const pid = processInfo.find((/** @type {any} */ one) => one.type === 'browser').id;
  return readEndpoint(profileOf(await commandLine(pid)));
}

/** @param {string} profile its directory */
async function readEndpoint(profile) {
  const [port, target] = (await fs.readFile(path.join(profile, 'DevToolsActivePort'), 'utf8')).split('\n');
  return `ws://127.0.0.1:${Number(port)}${target.trim()}`;
}

/** @param {number} pid @returns {Promise<string[]>} */
async function commandLine(pid) {
  if (process.platform === 'linux') return (await fs.readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0');
  const run = promisify(execFile);
  const question = `(Get-CimInstance Win32_Process -Filter "ProcessId=${pid}").CommandLine`;
  const { stdout } =
    process.platform === 'win32'
      ? await run('powershell', ['-NoProfile', '-Command', question])
      : await run('ps', ['-ww', '-o', 'command=', '-p', String(pid)]);
  // One string: a path with spaces ends where the next option begins.
  return stdout.trim().split(/ (?="?--)/).map((argument) => argument.replace(/^"|"$/g, ''));
}

/** @param {string[]} args */
function profileOf(args) {
  const option = args.find((argument) => argument.startsWith('--user-data-dir='));
  if (!option) throw new Error('the browser has no --user-data-dir');
  return option.slice('--user-data-dir='.length).replace(/^"|"$/g, '');
}

module.exports = { findEndpoint, readEndpoint, withPort };
