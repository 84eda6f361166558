// @ts-check
// Asks a running asynchronous function of ours to stop.
(function stop(/** @type {string} */ token) {
  /** @type {any} */
  const world = globalThis;
  world.gasolineStops?.get(token)?.abort();
})
