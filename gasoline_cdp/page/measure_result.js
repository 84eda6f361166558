// @ts-check
// Measures a script's result before it is fetched, and stops counting at a limit. Runs where the value lives, among
// built-ins that the page may have replaced, so it uses only the language itself.
(function measureResult(/** @type {number} */ depth, /** @type {number} */ mostParts, /** @type {number} */ mostChars) {
  // @ts-ignore: `this` holds the result.
  const value = this.value;
  let parts = 0;
  let chars = 0;
  /** @type {unknown[]} */
  const above = [];

  /** @param {any} item @param {number} level */
  const walk = (item, level) => {
    parts += 1;
    if (typeof item === "string") chars += item.length;
    if (item === null || typeof item !== "object" || level >= depth) return;
    for (let index = 0; index < level; index++) if (above[index] === item) return;
    above[level] = item;
    if (item[Symbol.toStringTag] !== undefined) {
      // Maps, sets and lists by their size; nodes, windows and other browser objects as one.
      if (item.nodeType === undefined && item.window !== item) {
        parts += typeof item.size === "number" ? item.size * 2 : typeof item.length === "number" ? item.length : 0;
      }
      return;
    }
    if (typeof item[Symbol.iterator] === "function" && typeof item.length === "number") {
      // A list is as long as its length, holes included. Its keys alone may be ten million.
      if (item.length > mostParts) parts += item.length;
      for (let index = 0; index < item.length && parts <= mostParts && chars <= mostChars; index++) {
        walk(item[index], level + 1);
      }
      return;
    }
    for (const name in item) {
      chars += name.length;
      walk(item[name], level + 1);
      if (parts > mostParts || chars > mostChars) return;
    }
  };

  try {
    walk(value, 0);
  } catch {
    // A getter or proxy that throws, or a cross-origin window: return the count so far.
  }
  if (typeof value !== "string" || value.length <= mostChars) return { parts, chars };
  let head = "";
  for (let index = 0; index < mostChars; index++) head += value[index];
  return { parts, chars, head };
})
