// The second batch is lost on its way.
import { flush, site, withBrowser } from "./pages.mjs";
import { watchPage } from "./watch-page.mjs";

await withBrowser(async (browser) => {
  const page = await browser.newPage();
  await watchPage(page);
  let posts = 0;
  await page.setRequestInterception(true);
  page.on("request", (request) => {
    const lost = request.url().includes("/logs?key=") && (posts += 1) === 2;
    if (lost) request.abort();
    else request.continue();
  });
  await page.goto(`${site}/api/page/ok`);
  for (const words of ["before the gap", "in the gap", "after the gap"]) {
    await page.evaluate((text) => console.error(text), words);
    await flush(page);
  }
});
