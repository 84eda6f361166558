// A test runner as Playwright is one: a browser with a port beside its pipe, and tests in contexts of their own that
// overlap. Prints what the daemon has of each test.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const [site, daemon, token, executablePath] = process.argv.slice(2);
const { chromium } = createRequire(`${process.env.PACKAGES}/`)("playwright-core");

const ask = async (method, path, body) => {
  const reply = await fetch(daemon + path, {
    method, headers: { Authorization: `Bearer ${token}` }, body: body && JSON.stringify(body),
  });
  if (!reply.ok) throw new Error(`${method} ${path}: ${await reply.text()}`);
  return reply.json();
};

/** The debugging address of a browser that was started with a port beside the pipe. */
const addressOf = async (browser) => {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  const { id } = processInfo.find((process) => process.type === "browser");
  const flags = readFileSync(`/proc/${id}/cmdline`, "utf8").split("\0");
  const profile = flags.find((flag) => flag.startsWith("--user-data-dir=")).split("=")[1];
  const [port, path] = readFileSync(`${profile}/DevToolsActivePort`, "utf8").split("\n");
  return `ws://127.0.0.1:${port}${path}`;
};

const browser = await chromium.launch({ executablePath, args: ["--remote-debugging-port=0", "--site-per-process"] });
const ws_endpoint = await addressOf(browser);
const { browser: named } = await ask("POST", "/browsers", { ws_endpoint });

/** One test: its page speaks from everywhere. `early`: the daemon is told before, else only when all has happened. */
const run = async (test_id, retry, name, early, together) => {
  const context = await browser.newContext();
  const page = await context.newPage();
  const { targetInfo } = await (await context.newCDPSession(page)).send("Target.getTargetInfo");
  const start = () => ask("POST", "/test-boundary", {
    test_id, retry, action: "start", browser: named, browser_context_id: targetInfo.browserContextId, worker: retry,
  });
  if (early) await start();
  await together();
  await page.goto(`${site}page?name=${name}`);
  const [popup] = await Promise.all([
    page.waitForEvent("popup"), page.evaluate((name) => void open(`/say?place=popup&name=${name}`), name),
  ]);
  await popup.waitForLoadState();
  await together();
  if (!early) await start();
  await ask("POST", "/test-boundary", { test_id, retry, action: "end" });
  let snapshot;
  do {
    const filter = `test_id=${encodeURIComponent(test_id)}&retry=${retry}`;
    snapshot = await ask("GET", `/snapshot?${filter}`);
  } while (new Set(snapshot.logs.filter((log) => log.kind === "console").map((log) => log.message)).size < 6
    || snapshot.network_bodies.length < 1);
  await together();
  await context.close();
  return { name, snapshot };
};

/** Waits until so many have come. */
const meeting = (count) => {
  let here = 0, go;
  let all = new Promise((resolve) => { go = resolve; });
  return () => {
    const now = all;
    if (++here === count) { here = 0; go(); all = new Promise((resolve) => { go = resolve; }); }
    return now;
  };
};

const together = meeting(4);
const first = await Promise.all([
  run("one", 0, "alpha", true, together), run("two", 0, "beta", false, together),
  run("three", 0, "gamma", true, together), run("three", 1, "delta", false, together),
]);
console.log(JSON.stringify(first));
await browser.close();
