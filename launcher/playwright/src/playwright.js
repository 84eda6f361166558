// @ts-check
'use strict';

/**
 * The project's own copy of Playwright, which refuses to be loaded twice. If this package is linked into the project,
 * Node looks for it beside the link's target; then it is looked for from the directory that the tests were started in.
 * @returns {typeof import('@playwright/test')}
 */
function loadPlaywright() {
  let found;
  try {
    found = require.resolve('@playwright/test');
  } catch {
    found = require.resolve('@playwright/test', { paths: [process.cwd()] });
  }
  return require(found);
}

module.exports = { loadPlaywright };
