// @ts-check
'use strict';

const fs = require('node:fs/promises');
const path = require('node:path');

// More than this belongs into the file, not into a terminal.
const MESSAGE_LINES = 15;
const LINE_CHARS = 300;

/**
 * Attach what the browser of a test saw, and put what matters most into its error.
 * @param {import('./daemon').Daemon} daemon
 * @param {Record<string, unknown>} selection
 * @param {import('@playwright/test').TestInfo} testInfo
 */
async function attachEvidence(daemon, selection, testInfo) {
  const [summary, snapshot, har] = await Promise.allSettled([
    daemon.summary(selection),
    daemon.snapshot(selection),
    daemon.har(selection),
  ]);
  const missing = [summary, snapshot, har].find((part) => part.status === 'rejected');
  const note = missing ? `Not all evidence is here: ${/** @type {any} */ (missing).reason.message}\n` : '';
  const text = [summary.status === 'fulfilled' ? summary.value : '', note].filter(Boolean).join('\n');
  await attach(testInfo, 'gasoline-summary.txt', 'text/plain', text);
  if (snapshot.status === 'fulfilled') await attach(testInfo, 'gasoline-snapshot.json', 'application/json', snapshot.value);
  if (har.status === 'fulfilled') await attach(testInfo, 'gasoline.har', 'application/json', har.value);
  const [error] = testInfo.errors;
  if (error && summary.status === 'fulfilled') addToError(error, decisiveLines(summary.value));
}

/** @param {import('@playwright/test').TestInfo} testInfo @param {string} name @param {string} contentType @param {string} content */
async function attach(testInfo, name, contentType, content) {
  const file = testInfo.outputPath(name);
  await fs.mkdir(path.dirname(file), { recursive: true });
  await fs.writeFile(file, content);
  // Not testInfo.attach, which would copy the file.
  testInfo.attachments.push({ name, contentType, path: file });
}

/** @param {string} summary */
function decisiveLines(summary) {
  // The report says already which test it is.
  const lines = summary.trimEnd().split('\n').filter((line) => !line.startsWith('Test '));
  const shown = lines.slice(0, MESSAGE_LINES).map((line) => (line.length > LINE_CHARS ? `${line.slice(0, LINE_CHARS)}…` : line));
  if (lines.length > MESSAGE_LINES) shown.push(`… ${lines.length - MESSAGE_LINES} more lines in gasoline-summary.txt`);
  return shown;
}

/**
 * Reporters show the stack, which begins with the message.
 * @param {{ message?: string, stack?: string }} error @param {string[]} lines
 */
function addToError(error, lines) {
  const block = `\n\n${['gasoline-cdp:', ...lines.map((line) => `  ${line}`)].join('\n')}`;
  if (error.stack) {
    const frames = error.stack.search(/\n\s+at /);
    error.stack = frames < 0 ? error.stack + block : `${error.stack.slice(0, frames)}${block}${error.stack.slice(frames)}`;
  }
  if (error.message !== undefined) error.message += block;
}

module.exports = { addToError, attachEvidence, decisiveLines };
