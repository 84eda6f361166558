// @ts-check
'use strict';

const { attachEvidence } = require('./evidence');
const { expectNoLeaks } = require('./leaks');
const { openWatcher } = require('./open-watcher');
const { TestRun } = require('./test-run');
const { applyGates, auditPages } = require('./verdict');

/** What one test needs: from its beginning to its verdict. */
class WatchedTest {
  /**
   * @param {import('./watcher').Watcher} watcher
   * @param {import('@playwright/test').TestInfo} testInfo
   * @param {{ attachOnFailure: boolean, failOn: string[], allowed: any[] }} options
   * @param {(reason: string) => void} warn
   */
  constructor(watcher, testInfo, options, warn) {
    this._watcher = watcher;
    this._testInfo = testInfo;
    this._options = options;
    this._warn = warn;
    this._run = new TestRun(watcher.daemon, testInfo);
    this._judged = false;
    this._attached = false;
  }

  begin() {
    return this._watcher.begin(this._run);
  }

  /** While its pages are still open: the verdict on a test that passed, the evidence of one that failed. */
  async conclude() {
    // If the daemon was killed before the test began, its evidence says so.
    if (!this._run.begun && !this._watcher.daemon.lost) return;
    const { failOn, allowed, attachOnFailure } = this._options;
    /** @type {unknown} */
    let failure = null;
    const asExpected = this._testInfo.status === this._testInfo.expectedStatus;
    const judge = asExpected && this._testInfo.status === 'passed' && !this._judged;
    if ((judge && failOn.length) || !asExpected) await this._watcher.flush();
    if (judge) {
      this._judged = true;
      if (!failOn.some((gate) => gate.startsWith('a11y'))) await auditPages(this._watcher.daemon, this._run.selection, this._warn);
      if (failOn.length) await applyGates(this._watcher.daemon, this._run.selection, { failOn, allowed }, this._warn).catch((error) => {
        failure = error;
      });
    }
    if ((failure || !asExpected) && attachOnFailure && !this._attached) {
      this._attached = true;
      await attachEvidence(this._watcher.daemon, this._run.selection, this._testInfo).catch((error) => this._warn(error.message));
    }
    if (failure) throw failure;
  }

  async end() {
    this._watcher.finish();
    await this._run.end().catch(() => {});
  }
}

const fixtures = {
  gasolineHost: ['127.0.0.1', { option: true, scope: 'worker' }],
  gasolinePort: [undefined, { option: true, scope: 'worker' }],
  gasolineAutoStart: [false, { option: true, scope: 'worker' }],
  gasolineCapture: ['cdp', { option: true, scope: 'worker' }],
  gasolineAttachOnFailure: [true, { option: true }],
  gasolineFailOn: [undefined, { option: true }],
  gasolineAllowedConsoleErrors: [[], { option: true }],
  gasolineExpectNoLeaks: [false, { option: true }],

  _gasolineWatcher: [
    async (
      /** @type {any} */ { gasolineHost, gasolinePort, gasolineAutoStart, gasolineCapture },
      /** @type {any} */ use,
      /** @type {any} */ workerInfo,
    ) => {
      const options = { host: gasolineHost, port: gasolinePort, autoStart: gasolineAutoStart, capture: gasolineCapture };
      await use(await openWatcher(options, workerInfo));
    },
    { scope: 'worker', box: true },
  ],

  // Before any browser is launched: every way to one goes through this object.
  playwright: [
    async (/** @type {any} */ { playwright, launchOptions, _gasolineWatcher }, /** @type {any} */ use) => {
      const types = [playwright.chromium, playwright.firefox, playwright.webkit];
      const undo = _gasolineWatcher
        ? types.map((type) => _gasolineWatcher.watchLaunches(type, launchOptions.args ?? []))
        : [];
      await use(playwright);
      undo.forEach((restore) => restore());
    },
    { scope: 'worker', box: true },
  ],

  // Also one that Playwright was connected to.
  browser: [
    async (/** @type {any} */ { browser, _gasolineWatcher }, /** @type {any} */ use) => {
      await _gasolineWatcher?.watch(browser);
      await use(browser);
    },
    { scope: 'worker', timeout: 0 },
  ],

  _gasolineTest: [
    async (
      /** @type {any} */ { _gasolineWatcher, gasolineAttachOnFailure, gasolineFailOn, gasolineAllowedConsoleErrors, gasolineExpectNoLeaks },
      /** @type {any} */ use,
      /** @type {any} */ testInfo,
    ) => {
      if (!_gasolineWatcher) return use(null);
      // A test that may log some errors may not log others.
      const failOn = gasolineFailOn ?? (gasolineAllowedConsoleErrors.length ? ['console-errors'] : []);
      const options = {
        attachOnFailure: gasolineAttachOnFailure,
        failOn: gasolineExpectNoLeaks ? [...failOn, 'leaks'] : failOn,
        allowed: gasolineAllowedConsoleErrors,
      };
      const test = new WatchedTest(_gasolineWatcher, testInfo, options, _gasolineWatcher.warn);
      await test.begin();
      await use(test);
      // A test without the context fixture, or one that failed while its context closed.
      await test.conclude().finally(() => test.end());
    },
    { auto: true, box: true },
  ],

  expectNoLeaks: async (/** @type {any} */ { _gasolineWatcher }, /** @type {any} */ use) => {
    const watched = _gasolineWatcher && !_gasolineWatcher.daemon.gone;
    const warn = _gasolineWatcher?.warn ?? (() => {});
    await use(expectNoLeaks.bind(null, watched ? _gasolineWatcher.daemon : null, warn));
  },

  context: async (/** @type {any} */ { context, _gasolineTest }, /** @type {any} */ use) => {
    await use(context);
    await _gasolineTest?.conclude();
  },
};

module.exports = { fixtures };
