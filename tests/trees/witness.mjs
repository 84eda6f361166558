// Prints what Playwright's aria snapshot says of a page that is open in a browser.
import { createRequire } from "node:module";

const { chromium } = createRequire(`${process.env.WITNESS_PACKAGES}/`)("playwright-core");
const [endpoint, url] = process.argv.slice(2);
const browser = await chromium.connectOverCDP(endpoint);
const pages = browser.contexts().flatMap((context) => context.pages());
console.log(await pages.find((page) => page.url() === url).locator("body").ariaSnapshot());
process.exit(0);
