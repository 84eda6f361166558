// @ts-check
// Reports when the page begins and ends to handle a user event: what it logs and requests in between was caused by that
// event. The page's own listeners, and the microtasks they leave, run before our task. Runs in our own world of each
// document; see actions.js for how it listens.
(function observeHandling() {
  const EVENTS = ["pointerdown", "pointerup", "click", "keydown", "input", "change", "submit"];
  /** @type {any} */
  const world = globalThis;
  if (!world.scheduler) return;
  let handling = false;
  // Whether a person goes back or forward. A link to a fragment changes the history, too: that belongs to its click.
  let traversing = false;

  const done = () => {
    handling = false;
    world.gasolineSend({ kind: "handled" });
  };

  /** @param {Event} event */
  const begin = (event) => {
    if (!event.isTrusted || handling) return;
    handling = true;
    world.gasolineSend({ kind: "handling", ts: world.gasolineWhen(event) });
    world.scheduler.postTask(done, { priority: "user-blocking" }).catch(() => {});
  };

  const moved = (/** @type {Event} */ event) => traversing && begin(event);
  world.navigation?.addEventListener("navigate", (/** @type {any} */ event) => {
    traversing = event.navigationType === "traverse" && event.userInitiated;
  });

  // Adding an existing listener does nothing. `document.open()` removes all of them.
  const listen = () => {
    for (const type of EVENTS) addEventListener(type, begin, { capture: true, passive: true });
    addEventListener("popstate", moved, { capture: true, passive: true });
  };
  listen();
  new MutationObserver(listen).observe(document, { childList: true });
})
