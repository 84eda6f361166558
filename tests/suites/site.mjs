// The application that the suites test: every page says which test opened it, so that a stray record shows.
// Prints its address; ends with its standard input.
import http from "node:http";

// A panel that is shown and removed by each click. Its listener stays, or goes with it.
const panel = (keeps) => `console.error(mark + " draws a panel");
document.querySelector("button").addEventListener("click", () => {
  const panel = document.createElement("section");
  panel.append(...Array.from({ length: 20 }, () => document.createElement("p")));
  document.body.append(panel);
  const place = () => panel.style.setProperty("top", "0");
  addEventListener("resize", place);
  panel.remove();
  ${keeps ? "" : 'removeEventListener("resize", place);'}
});`;

const FAULTS = {
  none: "",
  "console-error": 'console.error(mark + " cannot draw the cart");',
  exception: 'setTimeout(() => { throw new TypeError(mark + " broke"); });',
  rejection: 'Promise.reject(new Error(mark + " rejected"));',
  "http-500": 'fetch("/api/" + mark + "/fail", { method: "POST", body: "{}" });',
  "missing-script": 'document.head.append(Object.assign(document.createElement("script"), { src: "/missing/" + mark + ".js" }));',
  refused: 'fetch("http://127.0.0.1:65533/" + mark).catch(() => {});',
  worker: 'new Worker("/worker/" + mark + ".js");',
  popup: 'open("/page/" + mark + "/console-error");',
  frame: 'document.body.append(Object.assign(document.createElement("iframe"), { src: "/page/" + mark + "/console-error" }));',
  leak: panel(true),
  repaired: panel(false),
  shapes: '(async () => { for (let n = 0; n < 8; n += 1) await fetch("/api/" + mark + "/shape?" + n); })();',
  shared: 'new SharedWorker("/worker/" + mark + ".js");',
  service: 'navigator.serviceWorker.register("/service/" + mark + ".js").then(() => { document.title += " served"; });',
  // A window that opens another one, which does not know it.
  chain: 'open("/page/" + mark + "/stranger");',
  stranger: 'open("/page/" + mark + "/console-error", "_blank", "noopener");',
  socket: 'new WebSocket(location.origin.replace("http", "ws") + "/socket/" + mark);',
};

const page = (mark, fault) => `<!doctype html><title>${mark}</title><h1>${mark}</h1><button>Buy</button>
<script>
const mark = ${JSON.stringify(mark)};
console.log(mark + " opened");
console.warn(mark + " is noisy");
fetch("/api/" + mark + "/ok").then((answer) => answer.json()).then(() => { document.title += " ready"; });
${FAULTS[fault]}
</script>`;

const server = http.createServer((request, response) => {
  const [, kind, mark, detail] = decodeURIComponent(new URL(request.url, "http://x").pathname).split("/");
  const answer = (status, type, body) => response.writeHead(status, { "content-type": type }).end(body);
  if (kind === "page" && detail in FAULTS) answer(200, "text/html", page(mark, detail));
  else if (kind === "api" && detail === "fail") answer(500, "application/json", JSON.stringify({ error: `${mark} is out of stock` }));
  else if (detail === "shape") {
    // A number of the first answers is a text in the last ones.
    const number = Number(new URL(request.url, "http://x").search.slice(1));
    answer(200, "application/json", JSON.stringify({ mark, total: number < 5 ? number : String(number) }));
  } else if (kind === "api") answer(200, "application/json", JSON.stringify({ mark }));
  else if (kind === "worker") answer(200, "text/javascript", `throw new Error(${JSON.stringify(`${mark.replace(".js", "")} worker broke`)});`);
  else if (kind === "service") answer(200, "text/javascript", `console.error(${JSON.stringify(`${mark.replace(".js", "")} serves nothing`)});`);
  else answer(404, "text/plain", "not here");
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
process.stdin.resume().on("end", () => process.exit());
