// @ts-check
// Says when the page begins to handle what a person did, and when it has done so: what it logs and asks for in between
// came of that event. The page's own listeners, and what they leave for the end of their task, come before our task.
// Runs in our own world of each document; see actions.js for how it listens.
(function observeHandling() {
  const EVENTS = ["pointerdown", "pointerup", "click", "keydown", "input", "change", "submit"];
  /** @type {any} */
  const world = globalThis;
  if (!world.scheduler) return;
  let handling = false;

  /** @param {Record<string, unknown>} report */
  const send = (report) => world.gasolineReport(JSON.stringify(report));

  const done = () => {
    handling = false;
    send({ kind: "handled" });
  };

  /** @param {Event} event */
  const begin = (event) => {
    if (!event.isTrusted || handling) return;
    handling = true;
    send({ kind: "handling", ts: world.gasolineWhen(event) });
    world.scheduler.postTask(done, { priority: "user-blocking" }).catch(() => {});
  };

  // To add a listener that is there does nothing. `document.open()` takes them all away.
  const listen = () => {
    for (const type of EVENTS) addEventListener(type, begin, { capture: true, passive: true });
  };
  listen();
  new MutationObserver(listen).observe(document, { childList: true });
})
