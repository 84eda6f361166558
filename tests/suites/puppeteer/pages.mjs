// A browser for the drivers beside this file.
import puppeteer from "puppeteer-core";

export const site = process.env.SUITE_SITE;

export const withBrowser = async (drive) => {
  const browser = await puppeteer.launch({ executablePath: process.env.SUITE_BROWSER, args: ["--no-sandbox"] });
  try {
    console.log(JSON.stringify((await drive(browser)) ?? "done"));
  } finally {
    await browser.close();
  }
};

export const flush = (page) => page.evaluate(() => window.__gasolineFlush());
