// @ts-check
// The element that an action was reported for, while it still looks as it did then; else null.
(function heldElement(/** @type {number} */ handle) {
  return Reflect.get(globalThis, "gasolineHeld")?.(handle) ?? null;
})
