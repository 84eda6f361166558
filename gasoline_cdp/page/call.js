// @ts-check
// Wraps a function of ours so that the daemon knows whether it holds the page's thread, and can ask it to stop. An
// asynchronous function finds an AbortSignal in `this.signal`.
//
// A name that is not set in this world may refer to an element of the page with that id: hence `Object.hasOwn`.
(function watched(/** @type {Function} */ run) {
  /** @type {any} */
  const world = globalThis;
  /** @type {Map<string, AbortController>} */
  const stops = Object.hasOwn(world, "gasolineStops") ? world.gasolineStops : (world.gasolineStops = new Map());
  /** @param {string} token @param {boolean} running */
  const tell = (token, running) => {
    if (!Object.hasOwn(world, "gasolineReport")) return;
    world.gasolineReport(JSON.stringify({ kind: "call", token, running }));
  };
  /** @param {string} token @param {any[]} given */
  return function (token, ...given) {
    const stop = new AbortController();
    stops.set(token, stop);
    let pending = false;
    tell(token, true);
    try {
      const result = run.apply({ signal: stop.signal }, given);
      if (result instanceof Promise) {
        pending = true;
        return result.finally(() => stops.delete(token));
      }
      return result;
    } finally {
      if (!pending) stops.delete(token);
      tell(token, false);
    }
  };
})
