// @ts-check
// Lets one press, or keys, reach one element only: what is on its way to another is stopped before the page sees it, and
// reported. Without an element it stops all. Runs in our own world from just before the input until just after it.
(function guardInput(/** @type {any} */ request, /** @type {Element | null | undefined} */ element) {
  /** @type {any} */
  const world = globalThis;
  const KINDS = {
    pointer: ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "dblclick", "auxclick", "contextmenu"],
    keys: ["keydown", "keypress", "beforeinput", "keyup"],
  };
  if (Object.hasOwn(world, "gasolineGuard")) world.gasolineGuard?.();
  world.gasolineGuard = null;
  if (request.release) return;
  /** @type {boolean | null} */
  let allowed = null;
  const reach = Object.hasOwn(world, "gasolineReach") ? world.gasolineReach : null;

  /** @param {string} event @param {boolean} reached @param {unknown} on */
  const tell = (event, reached, on) => {
    if (!Object.hasOwn(world, "gasolineReport")) return;
    world.gasolineReport(JSON.stringify({ kind: "guard", token: request.token, event, reached, on }));
  };

  // In doubt it does not: an error here must not let anything through.
  /** @param {any} event */
  const reaches = (event) => {
    try {
      if (!element || !reach) return false;
      if (request.kind === "keys") return reach.hasFocus(element);
      return event.composedPath().includes(element) || reach.receives(element, event.clientX, event.clientY);
    } catch {
      return false;
    }
  };

  /** @param {any} event */
  const nameOf = (event) => {
    try {
      return reach?.nameOf(event.composedPath()[0] ?? null);
    } catch {
      return null;
    }
  };

  /** @param {any} event */
  const stop = (event) => {
    event.preventDefault();
    event.stopImmediatePropagation();
  };

  /** @param {any} event */
  const guard = (event) => {
    // Input of a person, long after ours: a guard that was left behind must not stop it.
    if (!event.isTrusted || performance.timeOrigin + event.timeStamp > request.until) return;
    if (allowed === null) {
      // The first event decides. The rest goes where the page then wants it: it may react to the first one.
      const now = reaches(event);
      allowed = now;
      tell(event.type, now, now ? null : nameOf(event));
    } else if (event.type === "click" && allowed) {
      const now = reaches(event);
      tell("click", now, now ? null : nameOf(event));
    }
    if (!allowed) stop(event);
  };

  const names = KINDS[/** @type {"pointer" | "keys"} */ (request.kind)];
  for (const name of names) addEventListener(name, guard, { capture: true, passive: false });
  world.gasolineGuard = () => {
    for (const name of names) removeEventListener(name, guard, { capture: true });
  };
})
