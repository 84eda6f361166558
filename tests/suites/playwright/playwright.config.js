const { defineConfig } = require("@playwright/test");

const { SUITE_BROWSER, SUITE_TRACE, SUITE_WORKERS, SUITE_RESULTS, SUITE_CAPTURE, SUITE_AUTO_START } = process.env;

module.exports = defineConfig({
  testDir: ".",
  fullyParallel: true,
  workers: Number(SUITE_WORKERS || 4),
  outputDir: SUITE_RESULTS,
  // What should pass, passes on a busy machine too. What should fail has a short limit of its own.
  timeout: 180_000,
  expect: { timeout: 60_000 },
  reporter: [["json", { outputFile: `${SUITE_RESULTS}/report.json` }], ["line"]],
  use: {
    trace: SUITE_TRACE || "off",
    ...(SUITE_CAPTURE ? { gasolineCapture: SUITE_CAPTURE } : {}),
    ...(SUITE_AUTO_START ? { gasolineAutoStart: true } : {}),
    launchOptions: { executablePath: SUITE_BROWSER, args: ["--no-sandbox"] },
  },
});
