// Ten tests that fail in ten ways, two that pass when tried again, and others that pass beside them.
const { test, expect } = require(process.env.SUITE_FIXTURE || "@playwright/test");

const { SUITE_SITE, SUITE_TESTS, SUITE_FAULTS, SUITE_KILL } = process.env;
const ALL = "console-error,exception,rejection,http-500,missing-script,refused,worker,popup,frame,socket";
const FAILING = (SUITE_FAULTS || ALL).split(",");
const COUNT = Number(SUITE_TESTS || 40);

const visit = async (page, mark, fault) => {
  await page.goto(`${SUITE_SITE}/page/${mark}/${fault}`);
  await expect(page).toHaveTitle(`${mark} ready`);
  await page.getByRole("button", { name: "Buy" }).click();
};

for (const fault of FAILING) {
  test(`fails by ${fault}`, async ({ page, context }) => {
    const popup = fault === "popup" ? context.waitForEvent("page") : null;
    await visit(page, `failing-${fault}`, fault);
    await (await popup)?.waitForLoadState();
    // The daemon, in the middle of a test.
    if (SUITE_KILL) process.kill(Number(SUITE_KILL), "SIGKILL");
    await expect(page.locator("h1")).toHaveText("Thank you", { timeout: 300 });
  });
}

test.describe("flaky", () => {
  test.describe.configure({ retries: 1 });
  for (const number of [1, 2]) {
    test(`passes when tried again ${number}`, async ({ page }, testInfo) => {
      const mark = `flaky-${number}-try-${testInfo.retry}`;
      await visit(page, mark, testInfo.retry ? "none" : "http-500");
      await expect(page.locator("h1")).toHaveText(testInfo.retry ? mark : "Thank you", testInfo.retry ? {} : { timeout: 300 });
    });
  }
});

for (let number = FAILING.length + 2; number < COUNT; number += 1) {
  test(`passes ${number}`, async ({ page }) => {
    // The same faults happen in tests that pass: none of it may reach another test.
    await visit(page, `passing-${number}`, FAILING[number % FAILING.length]);
    await expect(page.locator("h1")).toHaveText(`passing-${number}`);
  });
}
