// The reference: axe-core run by Playwright, in each frame and joined as axe-core documents it, on each page whose
// address comes on standard input. (axe's own package for Playwright gives a frame one second, which a busy machine
// does not have.)
//
//   WITNESS_PACKAGES=node_modules node witness.mjs WS_ENDPOINT < addresses
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const require = createRequire(process.env.WITNESS_PACKAGES + "/");
const { chromium } = require("playwright-core");
const { source } = require("axe-core");

const count = (rules) => Object.fromEntries(rules.map((rule) => [rule.id, rule.nodes.length]));
const browser = await chromium.connectOverCDP(process.argv[2]);
const page = await browser.contexts()[0].newPage();

const partials = async (frame, context) => {
  await frame.evaluate(source);
  const inside = await frame.evaluate((context) => axe.utils.getFrameContexts(context), context);
  const found = [await frame.evaluate((context) => axe.runPartial(context, {}), context)];
  for (const { frameSelector, frameContext } of inside) {
    const owner = await frame.evaluateHandle((selector) => axe.utils.shadowSelect(selector), frameSelector);
    const child = await owner.asElement()?.contentFrame();
    found.push(...(child ? await partials(child, frameContext) : [null]));
  }
  return found;
};

const audit = async () => {
  if (page.frames().length > 1) {
    const found = await partials(page.mainFrame(), { exclude: [] });
    return page.evaluate((found) => axe.finishRun(found), found);
  }
  await page.evaluate(source);
  return page.evaluate(() => axe.run());
};

for (const url of readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  await page.goto(url);
  const start = performance.now();
  const found = await audit();
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
