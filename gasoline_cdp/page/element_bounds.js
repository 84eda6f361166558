// @ts-check
// Where an element is in the visible part of the page, the frames around it counted in.
(function elementBounds(/** @type {Element} */ element) {
  const box = element.getBoundingClientRect();
  let { x, y } = box;
  let view = element.ownerDocument.defaultView;
  while (view && view !== view.top && view.frameElement) {
    const frame = view.frameElement;
    const outer = frame.getBoundingClientRect();
    x += outer.x + frame.clientLeft;
    y += outer.y + frame.clientTop;
    view = frame.ownerDocument.defaultView;
  }
  /** @param {number} value */
  const rounded = (value) => Math.round(value * 100) / 100;
  const shown = element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  return {
    bounds: { x: rounded(x), y: rounded(y), width: rounded(box.width), height: rounded(box.height) },
    // The way up ended at a frame of another origin.
    framed: view !== null && view !== view.top,
    drawn: shown && box.width > 0 && box.height > 0,
    onScreen: x < innerWidth && y < innerHeight && x + box.width > 0 && y + box.height > 0,
  };
})
