// @ts-check
'use strict';

const { DaemonError } = require('./daemon');

// As many as the daemon advises (memory_limits.EXPECTED_ROUNDS): few things that are no leak happen seven times.
const ROUNDS = 7;

/**
 * Repeat an action, and throw if the page keeps more after each round.
 * @param {import('./daemon').Daemon | null} daemon without one, the action is only repeated
 * @param {(reason: string) => void} warn
 * @param {import('@playwright/test').Page} page
 * @param {() => Promise<unknown> | unknown} action ends where it began
 * @param {{ rounds?: number }} [options]
 */
async function expectNoLeaks(daemon, warn, page, action, { rounds = ROUNDS } = {}) {
  // The first round fills what is filled once.
  await action();
  const ask = await begin(daemon, warn, page);
  for (let round = 0; round < rounds; round++) await action();
  const answer = await ask('check', rounds);
  if (answer && !answer.passed) throw new Error(`gasoline-cdp: the page leaks memory.\n${answer.message}`);
}

/**
 * Take the baseline.
 * @param {import('./daemon').Daemon | null} daemon @param {(reason: string) => void} warn
 * @param {import('@playwright/test').Page} page
 * @returns {Promise<(action: string, rounds?: number) => Promise<any>>} asks about this page; null if nobody answers
 */
async function begin(daemon, warn, page) {
  /** @type {string | null} */
  let target = null;
  let unchecked = daemon === null;
  const ask = async (/** @type {string} */ action, /** @type {number | undefined} */ rounds) => {
    if (unchecked || !daemon) return null;
    try {
      target ??= await targetOf(page);
      return await daemon.expectNoLeaks({ action, rounds, target_id: target });
    } catch (error) {
      unchecked = true;
      // The page was loaded again by the action, for example.
      if (error instanceof DaemonError && [400, 409].includes(error.status)) throw new Error(`gasoline-cdp: ${error.message}`);
      warn(`not checked: leaks: ${error instanceof Error ? error.message : error}`);
      return null;
    }
  };
  await ask('begin');
  return ask;
}

/** @param {import('@playwright/test').Page} page */
async function targetOf(page) {
  const session = await page.context().newCDPSession(page);
  try {
    const { targetInfo } = await session.send('Target.getTargetInfo');
    return targetInfo.targetId;
  } finally {
    await session.detach();
  }
}

module.exports = { expectNoLeaks };
