// The reference: axe-core run by Playwright, as axe's authors do it, on each page whose address comes on standard input.
//
//   WITNESS_PACKAGES=node_modules node witness.mjs WS_ENDPOINT < addresses
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const require = createRequire(process.env.WITNESS_PACKAGES + "/");
const { chromium } = require("playwright-core");
const { AxeBuilder } = require("@axe-core/playwright");

const count = (rules) => Object.fromEntries(rules.map((rule) => [rule.id, rule.nodes.length]));
const browser = await chromium.connectOverCDP(process.argv[2]);
const page = await browser.contexts()[0].newPage();
for (const url of readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  await page.goto(url);
  const start = performance.now();
  // Without frames there is nothing to be joined, and axe need not go through a blank page for it.
  const found = await new AxeBuilder({ page }).setLegacyMode(page.frames().length === 1).analyze();
  const told = {
    url,
    version: found.testEngine.version,
    violations: count(found.violations),
    incomplete: count(found.incomplete),
    passes: count(found.passes),
    inapplicable: found.inapplicable.length,
    targets: Object.fromEntries(found.violations.map((rule) => [rule.id, rule.nodes.map((node) => node.target)])),
    milliseconds: performance.now() - start,
  };
  console.log(JSON.stringify(told));
}
process.exit(0);
