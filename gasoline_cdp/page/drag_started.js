// @ts-check
// Whether the page lets the browser begin a drag, since the last time it was watched.
(function dragStarted(/** @type {"watch" | "ask"} */ what) {
  /** @type {any} */
  const world = globalThis;
  if (what === "watch") {
    world.gasolineDragged = false;
    // After all listeners of the page: one of them may prevent it.
    const seen = (/** @type {DragEvent} */ event) => {
      if (event.isTrusted) world.gasolineDragged = !event.defaultPrevented;
    };
    addEventListener("dragstart", seen, { once: true });
  }
  return world.gasolineDragged === true;
})
