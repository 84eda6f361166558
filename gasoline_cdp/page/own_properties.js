// @ts-check
// Some properties of an object, without running a getter, as an object of their own.
(function ownProperties(/** @type {object} */ holder, /** @type {string[]} */ names) {
  /** @type {Record<string, unknown>} */
  const picked = {};
  for (const name of names) {
    try {
      const property = Object.getOwnPropertyDescriptor(holder, name);
      if (property && Object.hasOwn(property, "value")) picked[name] = property.value;
    } catch {
      // A variable whose declaration did not run yet.
    }
  }
  return picked;
})
