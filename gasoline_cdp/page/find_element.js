// @ts-check
// The first element that a selector matches in document order, through open shadow roots and frames of the same
// origin. Returns {problem}, or the element itself, whose bounds `element_bounds` tells.
(function findElement(/** @type {string} */ selector) {
  try {
    document.createDocumentFragment().querySelector(selector);
  } catch {
    return { problem: "invalid_selector" };
  }
  /** @param {Document | ShadowRoot} root @returns {Element | null} */
  const within = (root) => {
    const walker = (root instanceof Document ? root : root.ownerDocument).createTreeWalker(root, NodeFilter.SHOW_ELEMENT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const element = /** @type {Element} */ (node);
      if (element.matches(selector)) return element;
      const inner = element.shadowRoot || (element instanceof HTMLIFrameElement ? element.contentDocument : null);
      const found = inner && within(inner);
      if (found) return found;
    }
    return null;
  };
  return within(document) || { problem: "element_not_found" };
})
