// @ts-check
// Returns the elements that the last query matched, and releases them.
(function askedElements() {
  /** @type {any} */
  const world = globalThis;
  const asked = (Object.hasOwn(world, "gasolineAsked") && world.gasolineAsked) || [];
  world.gasolineAsked = null;
  return asked;
})
