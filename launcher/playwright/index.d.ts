import type {
  Expect,
  Fixtures,
  Page,
  PlaywrightTestArgs,
  PlaywrightTestOptions,
  PlaywrightWorkerArgs,
  PlaywrightWorkerOptions,
  TestType,
} from '@playwright/test';

export type Gate =
  | 'console-errors'
  | 'network-errors'
  | 'contract-violations'
  | 'budgets'
  | 'leaks'
  | `a11y:${'minor' | 'moderate' | 'serious' | 'critical'}`
  | `security:${'info' | 'warning' | 'critical'}`
  | (string & {});

/** All fields that are given must match. */
export interface Allowance {
  /** Text that the message contains. */
  message?: string;
  /** Regular expression in Python's syntax. */
  pattern?: string;
  /** Glob, or text that the URL contains. */
  url?: string;
  status?: number | number[];
  rule?: string;
  gate?: Gate;
  /** Last day on which it applies, as 2026-12-31. */
  until?: string;
  reason?: string;
}

/** Options of one test: in `use` of the config, or with `test.use`. */
export interface GasolineTestOptions {
  /** Attach what the browser saw to a failing test. Default: true. */
  gasolineAttachOnFailure: boolean;
  /** Fail a test that passed, but tripped one of these gates. Default: none. */
  gasolineFailOn: Gate[] | undefined;
  /** Console errors that do not fail a test: text, regular expression, or any allowance. */
  gasolineAllowedConsoleErrors: (string | RegExp | Allowance)[];
  /** The gate `leaks`: fail a test in which a check with `expectNoLeaks` found a leak, even if the test caught that. Default: false. */
  gasolineExpectNoLeaks: boolean;
}

/** Fixtures of one test. */
export interface GasolineTestArgs {
  /**
   * Repeat an action that ends where it began, and fail if the page keeps more after each round. Needs
   * `gasoline-cdp ci --fail-on leaks`; elsewhere the action is only repeated.
   */
  expectNoLeaks(page: Page, action: () => Promise<unknown> | unknown, options?: { rounds?: number }): Promise<void>;
}

/** Options of a worker: in `use` of the config. */
export interface GasolineWorkerOptions {
  /** Where gasoline-cdp listens. Default: what `gasoline-cdp ci` says, else 127.0.0.1. */
  gasolineHost: string;
  /** Default: what `gasoline-cdp ci` says, else the port of the daemon that runs, else 7890. */
  gasolinePort: number | undefined;
  /** Start gasoline-cdp if it does not run. It ends with the test run. Default: false. */
  gasolineAutoStart: boolean;
  /** `cdp` watches Chromium from outside; `script` lets a script in each page report, as in Firefox and WebKit. */
  gasolineCapture: 'cdp' | 'script';
}

export const test: TestType<
  PlaywrightTestArgs & PlaywrightTestOptions & GasolineTestOptions & GasolineTestArgs,
  PlaywrightWorkerArgs & PlaywrightWorkerOptions & GasolineWorkerOptions
>;
export const expect: Expect<{}>;

/** For `test.extend(fixtures)` of a test object of your own. */
export const fixtures: Fixtures<
  GasolineTestOptions,
  GasolineWorkerOptions,
  PlaywrightTestArgs & PlaywrightTestOptions,
  PlaywrightWorkerArgs & PlaywrightWorkerOptions
>;
