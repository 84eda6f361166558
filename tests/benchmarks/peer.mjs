// A peer attached to a page: launches the browser with Playwright or Puppeteer, listens as their users do, goes there.
//
//   node peer.mjs playwright|puppeteer BROWSER URL EXPECTED_CONSOLE_MESSAGES
import { createRequire } from "node:module";

const require = createRequire(process.env.WITNESS_PACKAGES + "/");
const [kind, executablePath, url, expected] = process.argv.slice(2);
const args = ["--no-sandbox", "--disable-dev-shm-usage"];
let heard = 0;
const hear = () => ++heard === Number(expected) && console.log("heard all");
let page;
if (kind === "playwright") {
  const browser = await require("playwright-core").chromium.launch({ executablePath, args });
  page = await browser.newPage();
  page.on("websocket", (socket) => socket.on("framereceived", () => {}).on("framesent", () => {}));
} else {
  const browser = await require("puppeteer-core").launch({ executablePath, args, pipe: true, headless: true });
  page = await browser.newPage();
}
page.on("console", hear).on("request", () => {}).on("response", () => {}).on("pageerror", () => {});
await page.goto(url);
console.log("attached");
process.stdin.resume();
process.stdin.on("end", () => process.exit(0));
