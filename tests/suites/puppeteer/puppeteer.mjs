import { flush, site, withBrowser } from "./pages.mjs";
import { watchBrowser } from "./watch-browser.mjs";
import { watchPage } from "./watch-page.mjs";

const ready = (page, mark) => page.waitForFunction((title) => document.title === title, {}, `${mark} ready`);

await withBrowser(async (browser) => {
  const page = await browser.newPage();
  await watchPage(page);
  await page.goto(`${site}/page/by-script/console-error`);
  await ready(page, "by-script");
  await flush(page);
  await page.close();
  await watchBrowser(browser);
  const watched = await browser.newPage();
  await watched.goto(`${site}/page/by-protocol/console-error`);
  await ready(watched, "by-protocol");
});
