// @ts-check
'use strict';

const { randomUUID } = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');

const BINDING = '__GASOLINE_SEND';
const ENDPOINTS = new Set(['logs', 'network-bodies', 'websocket-events', 'performance-snapshot']);
// A page that hangs cannot report; its test failed long ago.
const FLUSH_MS = 2000;

const script = fs.readFileSync(path.join(__dirname, '..', 'gasoline-ci.js'), 'utf8');

/**
 * Let every page of a context report by itself. The batches come through Playwright, so that neither a content security
 * policy nor a blocked network keeps them back.
 * @param {import('@playwright/test').BrowserContext} context
 * @param {import('./daemon').Daemon} daemon
 * @returns {Promise<string>} the name under which the context's records are kept
 */
async function captureFromPages(context, daemon) {
  const name = `script-${randomUUID()}`;
  await context.exposeBinding(BINDING, async ({ frame }, endpoint, batch) => {
    if (!ENDPOINTS.has(endpoint)) return;
    // What a page says of itself is data: where it belongs to is said here.
    const origin = new URL(frame.url()).origin;
    await daemon.ingest(endpoint, { ...batch, browser_context_id: name }, origin).catch(() => {});
  });
  await context.addInitScript({ content: script });
  return name;
}

/**
 * Wait until the pages have reported what they saw so far.
 * @param {import('@playwright/test').BrowserContext} context
 */
async function flushPages(context) {
  const flushed = context.pages().flatMap((page) =>
    page.frames().map((frame) => frame.evaluate(() => /** @type {any} */ (globalThis).__gasolineFlush?.())),
  );
  await Promise.race([
    Promise.allSettled(flushed),
    new Promise((resolve) => setTimeout(resolve, FLUSH_MS).unref()),
  ]);
}

module.exports = { captureFromPages, flushPages };
