// Leaks and other gates, a browser with a profile of its own, and more than one retry.
const fs = require("node:fs");
const { test, expect } = require(process.env.SUITE_FIXTURE);

const { SUITE_SITE, SUITE_BROWSER } = process.env;

const visit = async (page, mark, fault) => {
  await page.goto(`${SUITE_SITE}/page/${mark}/${fault}`);
  await expect(page).toHaveTitle(`${mark} ready`);
};
const buy = (page) => page.getByRole("button", { name: "Buy" }).click();

test("fails by leak", async ({ page, expectNoLeaks }) => {
  await visit(page, "failing-leak", "leak");
  await expectNoLeaks(page, () => buy(page));
});

test("passes 1: the leak was repaired", async ({ page, expectNoLeaks }) => {
  await visit(page, "passing-1", "repaired");
  await expectNoLeaks(page, () => buy(page), { rounds: 5 });
});

test.describe("the gate", () => {
  test.use({ gasolineExpectNoLeaks: true });

  test("fails by caught-leak", async ({ page, expectNoLeaks }) => {
    await visit(page, "failing-caught-leak", "leak");
    await expectNoLeaks(page, () => buy(page)).catch(() => {});
  });

  test("passes 2: nothing was checked", async ({ page }) => {
    await visit(page, "passing-2", "leak");
  });
});

test.describe("allowed", () => {
  test.use({ gasolineAllowedConsoleErrors: [/CANNOT DRAW/i] });

  test("passes 3: the error is allowed", async ({ page }) => {
    await visit(page, "passing-3", "console-error");
  });

  test("fails by exception", async ({ page }) => {
    await visit(page, "failing-exception", "exception");
  });
});

test("fails by profile", async ({ playwright }, testInfo) => {
  const profile = testInfo.outputPath("profile");
  fs.mkdirSync(profile, { recursive: true });
  const options = { executablePath: SUITE_BROWSER, args: ["--no-sandbox"] };
  const context = await playwright.chromium.launchPersistentContext(profile, options);
  try {
    const page = context.pages()[0] ?? (await context.newPage());
    await visit(page, "failing-profile", "http-500");
    await expect(page.locator("h1")).toHaveText("Thank you", { timeout: 300 });
  } finally {
    await context.close();
  }
});

test.describe("flaky", () => {
  test.describe.configure({ retries: 2 });
  test("passes when tried again 3", async ({ page }, testInfo) => {
    const mark = `flaky-3-try-${testInfo.retry}`;
    await visit(page, mark, testInfo.retry < 2 ? "console-error" : "none");
    const [text, options] = testInfo.retry < 2 ? ["Thank you", { timeout: 300 }] : [mark, {}];
    await expect(page.locator("h1")).toHaveText(text, options);
  });
});
