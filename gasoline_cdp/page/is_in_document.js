// @ts-check
// Whether a node is an element of this document or of a shadow root in it.
(function isInDocument(/** @type {unknown} */ node) {
  /** @param {string} name */
  const of = (name) => Object.getOwnPropertyDescriptor(Node.prototype, name)?.get?.call(node);
  return node instanceof Element && of("isConnected") && of("ownerDocument") === document;
})
