// What other people's suites do: several contexts in a test, contexts that outlive one, windows that open windows,
// workers of all kinds, tests that fail before, after and instead of what they check.
const { test, expect } = require(process.env.SUITE_FIXTURE);

const { SUITE_SITE } = process.env;

const visit = async (page, mark, fault) => {
  await page.goto(`${SUITE_SITE}/page/${mark}/${fault}`);
  await expect(page).toHaveTitle(new RegExp(`${mark} .*ready`));
};
const check = (page) => expect(page.locator("h1")).toHaveText("Thank you", { timeout: 300 });

/** Two people at the same time, each in a browser context of their own. */
const meet = async (browser, mark) => {
  const contexts = await Promise.all([browser.newContext(), browser.newContext()]);
  const pages = await Promise.all(contexts.map((context) => context.newPage()));
  await Promise.all([visit(pages[0], mark, "console-error"), visit(pages[1], mark, "http-500")]);
  return { contexts, pages };
};

test("fails by meeting, in contexts made at once", async ({ browser }) => {
  const { pages } = await meet(browser, "failing-meeting");
  await check(pages[1]);
});

test("passes 1, in contexts made at once", async ({ browser }) => {
  const { contexts } = await meet(browser, "passing-1");
  await Promise.all(contexts.map((context) => context.close()));
});

test("fails by closed, in a context that is closed when it fails", async ({ browser }) => {
  const { contexts } = await meet(browser, "failing-closed");
  await Promise.all(contexts.map((context) => context.close()));
  throw new Error("too late");
});

test("fails by chain", async ({ page, context }) => {
  await visit(page, "failing-chain", "chain");
  await expect.poll(() => context.pages().length).toBe(3);
  await Promise.all(context.pages().map((one) => expect(one).toHaveTitle(/ready/)));
  await check(page);
});

for (const fault of ["shared", "service"]) {
  test(`fails by ${fault}`, async ({ page }) => {
    await visit(page, `failing-${fault}`, fault);
    if (fault === "service") await expect(page).toHaveTitle(/served/);
    await check(page);
  });
}

test("fails by patience", async ({ page }) => {
  await visit(page, "failing-patience", "exception");
  test.setTimeout(1);
  await page.waitForSelector("#never");
});

test("fails by soft", async ({ page }) => {
  await visit(page, "failing-soft", "http-500");
  await expect.soft(page.locator("h1")).toHaveText("Thank you", { timeout: 300 });
  await page.close();
});

test("fails by crash", async ({ page }) => {
  await visit(page, "failing-crash", "console-error");
  const crashed = page.waitForEvent("crash");
  await page.goto("chrome://crash").catch(() => {});
  await crashed;
  throw new Error("the page crashed");
});

test("passes 2, since it is expected to fail", async ({ page }) => {
  test.fail();
  await visit(page, "passing-2", "http-500");
  await check(page);
});

test("fails by luck", async ({ page }) => {
  test.fail();
  await visit(page, "failing-luck", "console-error");
});

test.describe("a page for all tests of a file", () => {
  test.describe.configure({ mode: "serial" });
  let page;
  test.beforeAll(async ({ browser }) => {
    page = await browser.newPage();
  });
  test.afterAll(() => page.close());

  test("passes 3", async () => {
    await visit(page, "before", "http-500");
  });

  test("fails by series", async () => {
    await visit(page, "failing-series", "http-500");
    await check(page);
  });
});

test.describe("hooks", () => {
  test.describe("before", () => {
    test.beforeEach(({ page }) => visit(page, "failing-setup", "exception").then(() => check(page)));
    test("fails by setup", () => {});
  });
  test.describe("after", () => {
    test.afterEach(({ page }) => check(page));
    test("fails by teardown", ({ page }) => visit(page, "failing-teardown", "exception"));
  });
});

test.describe("fixtures", () => {
  const own = test.extend({
    page: async ({ browser }, use) => {
      const page = await browser.newPage();
      await use(page);
      await page.context().close();
    },
  });
  own("fails by own-page", async ({ page }) => {
    await visit(page, "failing-own-page", "rejection");
    await check(page);
  });
});

test.describe("flaky", () => {
  test.describe.configure({ retries: 2 });
  test("passes when tried again 4", async ({ page }, { retry }) => {
    const mark = `flaky-4-try-${retry}`;
    await visit(page, mark, ["console-error", "http-500", "none"][retry]);
    if (retry < 2) await check(page);
  });
});
