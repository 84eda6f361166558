// The same objects as for CommonJS: Playwright refuses to be loaded twice.
import gasoline from './index.js';

export const { test, expect, fixtures } = gasoline;
