import { test as base, mergeTests } from "@playwright/test";
import { test, expect, fixtures } from "gasoline-cdp-playwright";

const { SUITE_SITE } = process.env;
const visit = async (page, mark, fault) => {
  await page.goto(`${SUITE_SITE}/page/${mark}/${fault}`);
  await expect(page).toHaveTitle(`${mark} ready`);
};

test("fails by http-500", async ({ page }) => {
  await visit(page, "failing-http-500", "http-500");
  await expect(page.locator("h1")).toHaveText("Thank you", { timeout: 300 });
});

base.extend(fixtures)("fails by exception", async ({ page }) => {
  await visit(page, "failing-exception", "exception");
  await expect(page.locator("h1")).toHaveText("Thank you", { timeout: 300 });
});

mergeTests(base, test)("fails by popup, in a context that the test made itself", async ({ browser }) => {
  const context = await browser.newContext();
  await visit(await context.newPage(), "failing-popup", "console-error");
  throw new Error("no Thank you");
});

test.describe("a page for all tests", () => {
  let page;
  test.beforeAll(async ({ browser }) => {
    page = await browser.newPage();
  });
  test("passes 1", () => visit(page, "passing-1", "console-error"));
  test("fails by rejection, in the same page", async () => {
    await visit(page, "failing-rejection", "rejection");
    throw new Error("no Thank you");
  });
});

test.describe("gates", () => {
  test.use({ gasolineFailOn: ["console-errors"] });
  test("fails by console-error", ({ page }) => visit(page, "failing-console-error", "console-error"));
  test("passes 2", ({ page }) => visit(page, "passing-2", "none"));
});

test.describe("allowances", () => {
  test.use({ gasolineAllowedConsoleErrors: [/CANNOT draw/i] });
  test("passes 3", ({ page }) => visit(page, "passing-3", "console-error"));
});

test("passes 4, without a browser", () => {});
