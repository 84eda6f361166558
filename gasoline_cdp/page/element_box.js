// @ts-check
// The position of an element in the window.
(function elementBox(/** @type {Element} */ element) {
  const { x, y, width, height } = Element.prototype.getBoundingClientRect.call(element);
  return { x, y, width, height };
})
