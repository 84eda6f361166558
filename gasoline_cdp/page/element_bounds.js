// @ts-check
// The position of an element in the visible part of the page, including the offsets of frames around it. Reads through
// the prototypes: fields can shadow the properties of their form, and images those of their document.
(function elementBounds(/** @type {Element} */ element) {
  /** @param {any} prototype @param {string} name @param {any} node */
  const read = (prototype, name, node) => Object.getOwnPropertyDescriptor(prototype, name)?.get?.call(node);
  /** @param {Element} node @returns {any} */
  const viewOf = (node) => read(Document.prototype, "defaultView", read(Node.prototype, "ownerDocument", node));
  /** @param {Element} node */
  const boxOf = (node) => Element.prototype.getBoundingClientRect.call(node);
  const box = boxOf(element);
  let { x, y } = box;
  let view = viewOf(element);
  while (view && view !== view.top && view.frameElement) {
    const frame = view.frameElement;
    const outer = boxOf(frame);
    x += outer.x + frame.clientLeft;
    y += outer.y + frame.clientTop;
    view = viewOf(frame);
  }
  /** @param {number} value */
  const rounded = (value) => Math.round(value * 100) / 100;
  const seen = { opacityProperty: true, visibilityProperty: true };
  return {
    bounds: { x: rounded(x), y: rounded(y), width: rounded(box.width), height: rounded(box.height) },
    // The next outer frame is of another origin.
    framed: Boolean(view) && view !== view.top,
    drawn: Element.prototype.checkVisibility.call(element, seen) && box.width > 0 && box.height > 0,
    inline: getComputedStyle(element).display === "inline",
    onScreen: x < innerWidth && y < innerHeight && x + box.width > 0 && y + box.height > 0,
  };
})
