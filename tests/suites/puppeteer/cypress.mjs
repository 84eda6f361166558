// What Cypress does: the window of the application is a frame of the runner, and is handed over before its scripts run.
import { readFileSync } from "node:fs";
import { site, withBrowser } from "./pages.mjs";

await withBrowser(async (browser) => {
  const page = await browser.newPage();
  await page.goto(`${site}/api/runner/ok`);
  const settings = {
    gasolineScript: readFileSync("gasoline-ci.js", "utf8"),
    gasolineUrl: process.env.GASOLINE_URL,
    gasolineKey: process.env.GASOLINE_INGEST_KEY,
  };
  await page.evaluate(
    async (support, settings) => {
      const listeners = [];
      const Cypress = { on: (name, listener) => listeners.push([name, listener]), env: (name) => settings[name] };
      new Function("Cypress", support)(Cypress);
      const frame = document.body.appendChild(document.createElement("iframe"));
      const win = frame.contentWindow;
      // It may be handed over again, after a reload for instance.
      for (const [name, listener] of [...listeners, ...listeners]) if (name === "window:before:load") listener(win);
      win.document.write('<script>console.error("in the tested window"); fetch("/api/cypress/fail");</script>');
      win.document.close();
      console.error("of the runner itself");
      await win.fetch("/api/cypress/ok");
      await new Promise((resolve) => setTimeout(resolve, 300));
      await win.__gasolineFlush();
    },
    readFileSync("cypress-support.js", "utf8"),
    settings,
  );
});
