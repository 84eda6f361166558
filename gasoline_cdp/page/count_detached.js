// @ts-check
// Counts the elements that are in no document, and the trees that they form. A form may have a field of any name, so it
// reads properties through their getters.
(function countDetached(/** @type {Node[]} */ nodes, /** @type {number} */ most) {
  const getter = (/** @type {object} */ prototype, /** @type {string} */ name) =>
    /** @type {() => any} */ (/** @type {PropertyDescriptor} */ (Object.getOwnPropertyDescriptor(prototype, name)).get);
  const typeOf = getter(Node.prototype, "nodeType");
  const isConnected = getter(Node.prototype, "isConnected");
  const parentOf = getter(Node.prototype, "parentNode");
  const hostOf = getter(ShadowRoot.prototype, "host");
  const nameOf = getter(Element.prototype, "localName");
  const inside = Element.prototype.getElementsByTagName;
  /** @type {Set<Element>} */
  const roots = new Set();
  for (const node of nodes.slice(0, most)) {
    try {
      if (typeOf.call(node) !== 1 || isConnected.call(node)) continue;
    } catch {
      // The prototype of a kind of node: it is among them, but it is none.
      continue;
    }
    /** @type {Node} */
    let root = node;
    for (;;) {
      const above = parentOf.call(root) || (root instanceof ShadowRoot ? hostOf.call(root) : null);
      if (!above) break;
      root = above;
    }
    // What stands in a template, or in a document that a parser made, is not meant to be shown.
    if (typeOf.call(root) === 1) roots.add(/** @type {Element} */ (root));
  }
  let elements = 0;
  /** @type {Map<string, number>} */
  const tags = new Map();
  for (const root of roots) {
    // Only elements that code has touched are objects of JavaScript: count the rest of each tree, too.
    elements += 1 + inside.call(root, "*").length;
    const name = nameOf.call(root);
    tags.set(name, (tags.get(name) || 0) + 1);
  }
  const frequent = [...tags].sort((one, other) => other[1] - one[1]).slice(0, 5);
  return { elements, trees: roots.size, tags: Object.fromEntries(frequent) };
})
