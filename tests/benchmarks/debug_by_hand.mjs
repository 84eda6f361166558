// What somebody writes with puppeteer-core to see values, until the end of the input.
//   node debug_by_hand.mjs PACKAGES ADDRESS TARGET nothing|catch|log
import { createRequire } from "node:module";

const [packages, address, targetId, how] = process.argv.slice(2);
const puppeteer = createRequire(`${packages}/`)("puppeteer-core");
const browser = await puppeteer.connect({ browserWSEndpoint: address, defaultViewport: null });
const isWanted = (target) => target._targetId === targetId;
const page = await (await browser.waitForTarget(isWanted)).page();
const session = await page.createCDPSession();

session.on("Debugger.paused", async ({ callFrames }) => {
  for (const frame of callFrames.slice(0, 3)) {
    for (const { type, object } of frame.scopeChain) {
      if (type === "global" || type === "script") continue;
      await session.send("Runtime.getProperties", { objectId: object.objectId, generatePreview: true });
    }
  }
  await session.send("Debugger.resume");
});
if (how !== "nothing") await session.send("Debugger.enable");
if (how === "catch") await session.send("Debugger.setPauseOnExceptions", { state: "all" });
if (how === "log") {
  const condition = "console.log(a), false";
  await session.send("Debugger.setBreakpointByUrl", { lineNumber: 2, urlRegex: "own\\.js", condition });
}
console.log("ready");
for await (const _ of process.stdin);
if (how !== "nothing") await session.send("Debugger.disable");
await browser.disconnect();
