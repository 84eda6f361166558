// @ts-check
// The first element that a selector matches in document order, through open shadow roots and same-origin frames.
// Returns an error or nothing; on request, the element itself. Reads through the prototypes: fields can shadow the
// properties of their form, and images those of their document.
(function findElement(/** @type {string} */ selector, /** @type {boolean} */ itself) {
  /** @param {any} prototype @param {string} name @param {any} node */
  const read = (prototype, name, node) => Object.getOwnPropertyDescriptor(prototype, name)?.get?.call(node);
  try {
    new DocumentFragment().querySelector(selector);
  } catch {
    return "invalid_selector";
  }
  /** @param {Document | ShadowRoot} root @returns {Element | null} */
  const within = (root) => {
    const owner = read(Node.prototype, "ownerDocument", root) ?? root;
    const walker = Document.prototype.createTreeWalker.call(owner, root, NodeFilter.SHOW_ELEMENT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const element = /** @type {Element} */ (node);
      if (Element.prototype.matches.call(element, selector)) return element;
      // By tag name and not by class: each frame has classes of its own.
      const isFrame = ["iframe", "frame"].includes(read(Element.prototype, "localName", element));
      const inner =
        read(Element.prototype, "shadowRoot", element) ||
        (isFrame && /** @type {HTMLIFrameElement} */ (element).contentDocument);
      const match = inner && within(inner);
      if (match) return match;
    }
    return null;
  };
  const first = within(document);
  return itself ? first : first ? null : "element_not_found";
})
