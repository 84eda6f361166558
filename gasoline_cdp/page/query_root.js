// @ts-check
// The elements that a selector matches inside a shadow root.
(function queryRoot(/** @type {string} */ selector, /** @type {ShadowRoot} */ root) {
  return [...DocumentFragment.prototype.querySelectorAll.call(root, selector)];
})
