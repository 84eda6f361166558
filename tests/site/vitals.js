// A page that is slow in known ways.
const spend = (milliseconds) => {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
};

// A long task while the page loads. The browser tells of it after the next frame: until then a document inside this
// one stays open, and so the page is not loaded.
function grind() {
  spend(150);
}
const held = document.createElement("iframe");
held.hidden = true;
document.documentElement.append(held);
held.contentDocument.open();
new PerformanceObserver((list) => {
  const scripts = list.getEntries().flatMap((frame) => frame.scripts);
  if (scripts.some((script) => script.sourceFunctionName === "grind")) held.contentDocument.close();
}).observe({ type: "long-animation-frame", buffered: true });
setTimeout(grind);

addEventListener("load", () => {
  // Two frames, so that the picture is shown before the banner pushes it down.
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      document.getElementById("banner").style.height = "120px";
      requestAnimationFrame(() => requestAnimationFrame(() => (document.documentElement.dataset.state = "done")));
    }),
  );
});

addEventListener("click", ({ target }) => {
  if (target.id === "slow") {
    spend(120);
    document.getElementById("view").textContent = "Slowly clicked";
  }
  if (target.id === "route") {
    history.pushState(null, "", "/page/vitals-route?secret_token=abcdefgh1234");
    document.getElementById("view").innerHTML = "<h2 id=there>There is something else to read here now</h2>";
    fetch("/json?from-route").then((reply) => reply.json());
  }
});
