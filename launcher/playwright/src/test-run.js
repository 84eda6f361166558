// @ts-check
'use strict';

const path = require('node:path');

// What the daemon takes at most (limits.TEST_ID_CHARS).
const TEST_ID_CHARS = 500;

/** @param {import('@playwright/test').TestInfo} testInfo */
function testIdOf(testInfo) {
  const file = path.relative(testInfo.config.rootDir, testInfo.file).split(path.sep).join('/');
  // The path of titles begins with the file.
  const parts = [file, ...testInfo.titlePath.slice(1)];
  const project = testInfo.project.name ? `[${testInfo.project.name}] ` : '';
  const repeat = testInfo.repeatEachIndex ? ` #${testInfo.repeatEachIndex + 1}` : '';
  const id = `${project}${parts.join(' › ')}${repeat}`;
  if (id.length <= TEST_ID_CHARS) return id;
  // The end tells tests apart that begin alike.
  const half = TEST_ID_CHARS / 2 - 1;
  return `${id.slice(0, half)}…${id.slice(-half)}`;
}

/** One run of a test: a retry is another one. */
class TestRun {
  /** @param {import('./daemon').Daemon} daemon @param {import('@playwright/test').TestInfo} testInfo */
  constructor(daemon, testInfo) {
    this._daemon = daemon;
    this._identity = { test_id: testIdOf(testInfo), retry: testInfo.retry, worker: String(testInfo.workerIndex) };
    this._begun = false;
  }

  /** Whether a browser context was watched for it. */
  get begun() {
    return this._begun;
  }

  /** What selects its records. */
  get selection() {
    return { test_id: this._identity.test_id, retry: this._identity.retry };
  }

  /** @param {import('./watcher').ContextAddress} address */
  async addContext({ browser, browser_context_id }) {
    await this._daemon.markBoundary({ ...this._identity, action: 'start', browser, browser_context_id });
    this._begun = true;
  }

  async end() {
    if (this._begun) await this._daemon.markBoundary({ ...this._identity, action: 'end' });
  }
}

module.exports = { TestRun, testIdOf };
