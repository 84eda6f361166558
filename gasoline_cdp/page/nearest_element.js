// @ts-check
// The element itself, or the one that a text is in.
(function nearestElement(/** @type {Node} */ node) {
  return node instanceof Element ? node : node.parentElement;
})
