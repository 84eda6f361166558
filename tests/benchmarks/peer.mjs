// A peer attached to a page: launches the browser with Playwright or Puppeteer, listens as their users do, goes there.
//
//   node peer.mjs playwright|puppeteer BROWSER PROFILE URL EXPECTED_CONSOLE_MESSAGES FLAGS...
import { createRequire } from "node:module";

const require = createRequire(process.env.WITNESS_PACKAGES + "/");
const [kind, executablePath, profile, url, expected, ...args] = process.argv.slice(2);
let heard = 0;
const hear = () => ++heard === Number(expected) && console.log("heard all");
let page;
// The same browser with the same flags for everybody: what differs is the client alone.
if (kind === "playwright") {
  const options = { executablePath, args, ignoreDefaultArgs: true, headless: true, viewport: null };
  const context = await require("playwright-core").chromium.launchPersistentContext(profile, options);
  page = context.pages()[0] || (await context.newPage());
  page.on("websocket", (socket) => socket.on("framereceived", () => {}).on("framesent", () => {}));
} else {
  const options = { executablePath, args, ignoreDefaultArgs: true, userDataDir: profile, pipe: true, headless: true };
  const browser = await require("puppeteer-core").launch(options);
  page = (await browser.pages())[0] || (await browser.newPage());
}
page.on("console", hear).on("request", () => {}).on("response", () => {}).on("pageerror", () => {});
await page.goto(url);
process.stdin.resume();
process.stdin.on("end", () => process.exit(0));
