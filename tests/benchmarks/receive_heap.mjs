// What it costs only to receive a heap snapshot, with puppeteer-core.
//   node receive_heap.mjs HOME ADDRESS URL
import { createRequire } from "node:module";

const [home, address, url] = process.argv.slice(2);
const puppeteer = createRequire(`${home}/`)("puppeteer-core");
const browser = await puppeteer.connect({ browserWSEndpoint: address, defaultViewport: null });
const context = await browser.createBrowserContext();
const page = await context.newPage();
await page.goto(url);
await page.evaluate("ready");
const session = await page.createCDPSession();
await session.send("HeapProfiler.enable");
await session.send("HeapProfiler.collectGarbage");
let characters = 0;
session.on("HeapProfiler.addHeapSnapshotChunk", (event) => {
  characters += event.chunk.length;
});
// Of each heap: what receiving it cost, and what the process had cost by then, from its start on.
for (let turn = 0; turn < 2; turn += 1) {
  const begun = process.cpuUsage();
  await session.send("HeapProfiler.takeHeapSnapshot", { reportProgress: true });
  const used = process.cpuUsage(begun);
  const whole = process.cpuUsage();
  console.log((used.user + used.system) / 1e6, (whole.user + whole.system) / 1e6, characters);
}
await context.close();
await browser.disconnect();
