// @ts-check
// Where an element is in the window.
(function elementBox(/** @type {Element} */ element) {
  const { x, y, width, height } = Element.prototype.getBoundingClientRect.call(element);
  return { x, y, width, height };
})
