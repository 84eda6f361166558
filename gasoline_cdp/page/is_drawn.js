// @ts-check
// Whether an element is drawn anywhere in its page, seen or not.
(function isDrawn(/** @type {Element} */ element) {
  const boxes = [...Element.prototype.getClientRects.call(element)];
  const seen = Element.prototype.checkVisibility.call(element, { visibilityProperty: true });
  return seen && boxes.some((box) => box.width > 0 && box.height > 0);
})
