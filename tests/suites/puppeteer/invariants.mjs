// Whether a page can tell that the script is there.
import { readFileSync } from "node:fs";
import { flush, site, withBrowser } from "./pages.mjs";
import { watchPage } from "./watch-page.mjs";

await withBrowser(async (browser) => {
  const page = await browser.newPage();
  await watchPage(page);
  // Loaded a second time, as a page and a fixture together would.
  await page.evaluateOnNewDocument(readFileSync("gasoline-ci.js", "utf8"));
  await page.goto(`${site}/page/page/none`);
  const found = await page.evaluate(async () => {
    const found = {};
    found["fetch is called fetch"] = fetch.name === "fetch" && fetch.length === 1;
    found["fetch looks native"] = Function.prototype.toString.call(fetch).includes("[native code]");
    found["console.error looks native"] = Function.prototype.toString.call(console.error).includes("[native code]");
    let called = false;
    console.log("an object", { a: 1, get danger() { called = true; throw new Error("called"); }, list: [1, 2] });
    found["getters are not called"] = !called;
    const circle = {};
    circle.self = circle;
    console.log(circle, null, undefined, Symbol("s"), 10n, new Proxy({}, { ownKeys() { throw new Error("no"); } }));
    console.log("%d of %s 100%%", 3.7, "three");
    console.error("only once");
    const failed = await fetch("/api/page/fail", { method: "POST", body: "{}" });
    found["text of a failed answer"] = await failed.text();
    const unhandled = new Promise((resolve) => addEventListener("unhandledrejection", resolve, { once: true }));
    fetch("http://127.0.0.1:65533/");
    found["an unhandled failure is still unhandled"] = (await unhandled).reason instanceof TypeError;
    let illegal;
    await fetch("http://[").catch((error) => (illegal = error));
    found["a wrong address is refused as before"] = illegal instanceof TypeError;
    const controller = new AbortController();
    const aborted = fetch("/aborted", { signal: controller.signal }).catch((error) => error.name);
    controller.abort();
    found["an abort is an abort"] = (await aborted) === "AbortError";
    const xhr = new XMLHttpRequest();
    const loaded = new Promise((resolve) => (xhr.onloadend = resolve));
    xhr.open("POST", "/api/xhr/fail");
    xhr.send("question");
    await loaded;
    found["XMLHttpRequest has its answer"] = xhr.status === 500 && xhr.responseText.includes("xhr is out of stock");
    const closing = new AbortController();
    closing.abort();
    const socket = new WebSocket(location.origin.replace("http", "ws") + "/socket");
    found["a socket is a WebSocket"] = socket instanceof WebSocket && socket.constructor === WebSocket;
    found["constants of WebSocket"] = WebSocket.OPEN === 1 && socket.readyState === WebSocket.CONNECTING;
    await new Promise((resolve) => (socket.onclose = resolve));
    class Own extends WebSocket {}
    found["a class of its own"] = new Own(location.origin.replace("http", "ws") + "/own") instanceof Own;
    found["no global of ours is enumerable"] = !Object.keys(window).some((name) => /^__gasoline(?!_(HOST|PORT|KEY)$)/i.test(name));
    return found;
  });
  await flush(page);
  return found;
});
