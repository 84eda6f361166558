// @ts-check
// The first element that a selector matches in document order, through open shadow roots and frames of the same
// origin. Returns what is wrong, or nothing; asked to, the element itself.
(function findElement(/** @type {string} */ selector, /** @type {boolean} */ itself) {
  try {
    document.createDocumentFragment().querySelector(selector);
  } catch {
    return "invalid_selector";
  }
  /** @param {Document | ShadowRoot} root @returns {Element | null} */
  const within = (root) => {
    // By their names and not by their classes, which are others in each frame.
    const walker = (root.ownerDocument || /** @type {Document} */ (root)).createTreeWalker(root, NodeFilter.SHOW_ELEMENT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const element = /** @type {Element} */ (node);
      if (element.matches(selector)) return element;
      const frame = ["iframe", "frame"].includes(element.localName) ? /** @type {HTMLIFrameElement} */ (element) : null;
      const inner = element.shadowRoot || (frame && frame.contentDocument);
      const found = inner && within(inner);
      if (found) return found;
    }
    return null;
  };
  const first = within(document);
  return itself ? first : first ? null : "element_not_found";
})
