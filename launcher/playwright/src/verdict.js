// @ts-check
'use strict';

const { DaemonError } = require('./daemon');

/** @param {string | RegExp | Record<string, unknown>} allowed @returns {Record<string, unknown>} what the daemon understands */
function allowanceOf(allowed) {
  if (typeof allowed === 'string') return { gate: 'console-errors', message: allowed };
  if (!(allowed instanceof RegExp)) return allowed;
  const flags = [...allowed.flags].filter((flag) => 'ims'.includes(flag)).join('');
  return { gate: 'console-errors', pattern: (flags && `(?${flags})`) + allowed.source };
}

/**
 * Ask for the verdict on a test that passed; throws if it failed. The rules are the daemon's.
 * @param {import('./daemon').Daemon} daemon
 * @param {Record<string, unknown>} selection
 * @param {{ failOn: string[], allowed: (string | RegExp | Record<string, unknown>)[] }} gates
 * @param {(reason: string) => void} warn
 */
async function applyGates(daemon, selection, { failOn, allowed }, warn) {
  let answer;
  try {
    answer = await daemon.verdict({ ...selection, fail_on: failOn, allow: allowed.map(allowanceOf) });
  } catch (error) {
    // A mistake in the options is the project's to correct. That nobody could judge is no failure of the test.
    if (error instanceof DaemonError && error.status === 400) throw new Error(`gasoline-cdp: ${error.message}`);
    warn(`no verdict on a test: ${error instanceof Error ? error.message : error}`);
    return;
  }
  for (const gap of answer.not_checked ?? []) warn(`not checked: ${gap}`);
  if (answer.verdict !== 'failed') return;
  const lines = answer.failures.map((/** @type {any} */ one) => {
    const times = one.count > 1 ? ` (${one.count} times)` : '';
    return `  ${one.gate}: ${one.text}${one.location ? ` at ${one.location}` : ''}${times}`;
  });
  const failure = new Error([`gasoline-cdp: ${answer.summary}`, ...lines].join('\n'));
  // The place where the fixture found it is no place in the test.
  failure.stack = `Error: ${failure.message}`;
  throw failure;
}

/**
 * If `gasoline-cdp ci` has a gate for accessibility: its audit needs the pages, which are open only now. What it finds
 * is judged at the end of the run, by the gates of the run.
 * @param {import('./daemon').Daemon} daemon
 * @param {Record<string, unknown>} selection
 * @param {(reason: string) => void} warn
 */
async function auditPages(daemon, selection, warn) {
  if (!process.env.GASOLINE_AUDIT_PAGES) return;
  try {
    await daemon.verdict({ ...selection, fail_on: ['a11y:minor'] });
  } catch (error) {
    warn(`the pages of a test were not audited: ${error instanceof Error ? error.message : error}`);
  }
}

module.exports = { allowanceOf, applyGates, auditPages };
