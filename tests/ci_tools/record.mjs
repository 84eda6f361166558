// Visits a site twice in the browser of `gasoline-cdp ci`: once recorded by Playwright, once in a page that stays open.
import { chromium } from "playwright-core";

const [site, har] = process.argv.slice(2);
const browser = await chromium.connectOverCDP(process.env.GASOLINE_CDP_ENDPOINT);
const context = await browser.newContext({ recordHar: { path: har, content: "embed" } });
const page = await context.newPage();
// Playwright leaves out what has not ended when the context is closed.
const ends = [];
page.on("response", (response) => ends.push(response.finished()));
await page.goto(`${site}old?who=me#top`);
await page.waitForFunction("window.done === true");
await Promise.all(ends);
await context.close();
const open = await browser.contexts()[0].newPage();
await open.goto(`${site}audited`);
await browser.close();
