// @ts-check
'use strict';

const { loadPlaywright } = require('./src/playwright');
const { fixtures } = require('./src/fixtures');

const { test, expect } = loadPlaywright();

module.exports = { test: test.extend(/** @type {any} */ (fixtures)), expect, fixtures };
