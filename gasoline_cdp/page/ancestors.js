// @ts-check
// An element and what is around it, up to its document: through slots and shadow roots, as events go. Reads only.
(function ancestors(/** @type {Node} */ element, /** @type {number} */ most) {
  /** @type {Node[]} */
  const nodes = [];
  /** @type {Node | null} */
  let node = element;
  while (node && nodes.length < most) {
    if (!(node instanceof ShadowRoot)) nodes.push(node);
    node = node instanceof ShadowRoot ? node.host : (node instanceof Element && node.assignedSlot) || node.parentNode;
  }
  return nodes;
})
