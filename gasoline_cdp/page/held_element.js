// @ts-check
// The element of a reported action, if it still looks as it did then; otherwise null.
(function heldElement(/** @type {number} */ handle) {
  return Reflect.get(globalThis, "gasolineHeld")?.(handle) ?? null;
})
