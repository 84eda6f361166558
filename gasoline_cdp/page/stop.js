// @ts-check
// Asks a running asynchronous function of ours to stop.
(function stop(/** @type {string} */ token) {
  /** @type {any} */
  const world = globalThis;
  if (Object.hasOwn(world, "gasolineStops")) world.gasolineStops.get(token)?.abort();
})
