// An independent witness: Playwright drives a page in the browser that the daemon watches, and counts what it sees.
//
//   node witness.mjs WS_ENDPOINT URL      (with NODE_PATH to the packages)
import { createRequire } from "node:module";

const { chromium } = createRequire(process.env.WITNESS_PACKAGES + "/")("playwright-core");
const [endpoint, url] = process.argv.slice(2);
const browser = await chromium.connectOverCDP(endpoint);
const page = await browser.contexts()[0].newPage();
const seen = { requests: [], sent: 0, received: 0, console: 0, workers: 0, sockets: 0 };

page.on("response", (response) => seen.requests.push([response.request().method(), response.url(), response.status()]));
page.on("requestfailed", (request) => seen.requests.push([request.method(), request.url(), 0]));
page.on("console", () => seen.console++);
page.on("worker", () => seen.workers++);
page.on("websocket", (socket) => {
  seen.sockets++;
  socket.on("framesent", () => seen.sent++);
  socket.on("framereceived", () => seen.received++);
});
await page.goto(url);
await page.waitForFunction(() => globalThis.appDone === true, null, { timeout: 60000 });
// Whatever the application has under way ends before the counts are compared.
await page.waitForLoadState("networkidle");
console.log(JSON.stringify(seen));
process.exit(0);
