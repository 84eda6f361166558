// @ts-check
// Previews of console values in Chrome's own format, some levels deeper. Runs where the values live, under V8's
// side-effect check: a getter, a trap or a patched built-in with an effect ends it. The check also treats object
// spread, `delete` and assignments to a closure's variable as effects; hence the plain style.
(function deepPreview(/** @type {any} */ most, /** @type {unknown[]} */ ...values) {
  const left = { parts: most.parts };

  /** @param {string} text */
  const short = (text) => (text.length > most.string ? `${text.slice(0, most.string)}…` : text);

  /** @param {object} value */
  const className = (value) => {
    const prototype = Object.getPrototypeOf(value);
    if (prototype === null || prototype === Object.prototype) return "Object";
    const maker = prototype.constructor;
    return typeof maker === "function" && typeof maker.name === "string" && maker.name ? short(maker.name) : "Object";
  };

  // Through the prototypes: fields of a form can shadow its properties.
  /** @param {any} prototype @param {string} name @param {any} node */
  const read = (prototype, name, node) => Object.getOwnPropertyDescriptor(prototype, name)?.get?.call(node);

  /** @param {any} node */
  const nodeName = (node) => {
    const name = read(Node.prototype, "nodeName", node).toLowerCase();
    if (!(node instanceof Element)) return name;
    const id = read(Element.prototype, "id", node);
    return short([name + (id ? `#${id}` : ""), ...read(Element.prototype, "classList", node)].join("."));
  };

  /**
   * A value without what is inside it.
   * @param {any} value
   * @returns {{type: string, subtype?: string, description: string}}
   */
  const describe = (value) => {
    const type = typeof value;
    if (value === null) return { type: "object", subtype: "null", description: "null" };
    if (type === "string") return { type, description: short(value) };
    if (type === "bigint") return { type, description: short(`${value}n`) };
    if (type === "function") return { type, description: "" };
    if (type !== "object") return { type, description: Object.is(value, -0) ? "-0" : short(String(value)) };
    if (Array.isArray(value)) return { type, subtype: "array", description: `Array(${value.length})` };
    if (value instanceof Error) {
      return { type, subtype: "error", description: short(value.message ? `${value.name}: ${value.message}` : value.name) };
    }
    if (value instanceof Map) return { type, subtype: "map", description: `Map(${value.size})` };
    if (value instanceof Set) return { type, subtype: "set", description: `Set(${value.size})` };
    if (value instanceof Date) return { type, subtype: "date", description: String(value) };
    if (typeof Node === "function" && value instanceof Node) {
      return { type, subtype: "node", description: nodeName(value) };
    }
    if (typeof Window === "function" && value instanceof Window) return { type, subtype: "window", description: "Window" };
    if (ArrayBuffer.isView(value)) return { type, subtype: "typedarray", description: className(value) };
    return { type, description: className(value) };
  };

  // A variable whose declaration did not run yet has no value: V8 throws.
  /** @param {object} value @param {string} name */
  const own = (value, name) => {
    try {
      return Object.getOwnPropertyDescriptor(value, name);
    } catch {
      return { get: undefined };
    }
  };

  // Types shown by their description only.
  const closed = ["null", "date", "node", "typedarray", "window"];

  /**
   * A value as Chrome's ObjectPreview; `levels` says how far to open it, `above` what it stands in, `wanted` which
   * properties come first, and whether they are all.
   * @param {any} value @param {number} levels @param {unknown[]} above
   * @param {{first: string[], only: boolean} | undefined} [wanted]
   * @returns {Record<string, any>}
   */
  const preview = (value, levels, above, wanted) => {
    left.parts -= 1;
    /** @type {Record<string, any>} */
    const shown = describe(value);
    if (shown.type !== "object" || closed.includes(shown.subtype)) return shown;
    if (above.includes(value)) return { type: "object", description: "[Circular]" };
    if (levels <= 0) return shown;
    const path = [...above, value];
    shown.overflow = false;
    shown.properties = [];
    if (shown.subtype === "map" || shown.subtype === "set") {
      shown.entries = [];
      for (const entry of value) {
        if (shown.entries.length >= most.items || left.parts <= 0) {
          shown.overflow = true;
          break;
        }
        shown.entries.push(
          shown.subtype === "set"
            ? { value: preview(entry, levels - 1, path) }
            : { key: preview(entry[0], levels - 1, path), value: preview(entry[1], levels - 1, path) },
        );
      }
      return shown;
    }
    const isArray = shown.subtype === "array";
    // Only the first elements of an array: it may have a million keys.
    const names = isArray
      ? Array.from({ length: Math.min(value.length, most.items + 1) }, (_, index) => `${index}`)
      : wanted
        ? [
            ...wanted.first.filter((name) => Object.hasOwn(value, name)),
            ...(wanted.only ? [] : Object.keys(value).filter((name) => !wanted.first.includes(name))),
          ]
        : Object.keys(value);
    if (shown.subtype === "error") {
      names.push(...["cause", "errors"].filter((name) => Object.hasOwn(value, name) && !names.includes(name)));
    }
    for (const name of names) {
      if (shown.properties.length >= most.items || left.parts <= 0) {
        shown.overflow = true;
        break;
      }
      const property = own(value, name);
      if (!property) continue;
      if (!Object.hasOwn(property, "value")) {
        left.parts -= 1;
        shown.properties.push({ name: short(name), type: "accessor" });
        continue;
      }
      if (typeof property.value === "function" && !isArray && !wanted?.first.includes(name)) continue;
      const inner = preview(property.value, levels - 1, path);
      /** @type {Record<string, any>} */
      const part = { name: short(name), type: inner.type, value: inner.description };
      if (inner.subtype) part.subtype = inner.subtype;
      if (inner.properties) part.valuePreview = inner;
      shown.properties.push(part);
    }
    return shown;
  };

  return values.map((value, index) => preview(value, most.levels, [], most.wanted?.[index]));
})
