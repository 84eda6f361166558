// The reference: axe-core run by Playwright, in each frame and joined as axe-core documents it, on each page whose
// address comes on standard input. (axe's own package for Playwright gives a frame one second, which a busy machine
// does not have.)
//
//   WITNESS_PACKAGES=node_modules node witness.mjs WS_ENDPOINT TABS < addresses
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const require = createRequire(process.env.WITNESS_PACKAGES + "/");
const { chromium } = require("playwright-core");
const { source } = require("axe-core");

const count = (rules) => Object.fromEntries(rules.map((rule) => [rule.id, rule.nodes.length]));
const browser = await chromium.connectOverCDP(process.argv[2]);
const waiting = readFileSync(0, "utf8").split("\n").filter(Boolean);

// In XHTML Playwright does not tell the frame inside an element; the other way round it does.
const inner = async (frame, owner) => {
  const known = await owner.asElement()?.contentFrame();
  if (known) return known;
  for (const child of frame.childFrames()) {
    if (await (await child.frameElement()).evaluate((element, owner) => element === owner, owner)) return child;
  }
  return null;
};

const partials = async (frame, context) => {
  await frame.evaluate(source);
  const inside = await frame.evaluate((context) => axe.utils.getFrameContexts(context), context);
  const found = [await frame.evaluate((context) => axe.runPartial(context, {}), context)];
  for (const { frameSelector, frameContext } of inside) {
    const owner = await frame.evaluateHandle((selector) => axe.utils.shadowSelect(selector), frameSelector);
    const child = await inner(frame, owner);
    found.push(...(child ? await partials(child, frameContext) : [null]));
  }
  return found;
};

const audit = async (page) => {
  if (page.frames().length > 1) {
    const found = await partials(page.mainFrame(), { exclude: [] });
    return page.evaluate((found) => axe.finishRun(found), found);
  }
  await page.evaluate(source);
  return page.evaluate(() => axe.run());
};

const witness = async (page, url) => {
  await page.goto(url);
  const start = performance.now();
  const found = await audit(page);
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
};

// Several tabs, each taking the next page: while one waits for media, others go on.
const work = async () => {
  const page = await browser.contexts()[0].newPage();
  for (let url = waiting.shift(); url; url = waiting.shift()) await witness(page, url);
};
await Promise.all(Array.from({ length: Number(process.argv[3]) }, work));
process.exit(0);
