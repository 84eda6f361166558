// @ts-check
// Scrolls a page or the nearest element that scrolls, by pixels or to a side. Returns whether anything moved.
(function scrollTo_(/** @type {any} */ by, /** @type {Element | null | undefined} */ element) {
  /** @type {Element | null} */
  let box = element ?? null;
  const scrolls = (/** @type {Element} */ one) =>
    (one.scrollHeight > one.clientHeight || one.scrollWidth > one.clientWidth) &&
    (one === document.scrollingElement || /auto|scroll|overlay/.test(getComputedStyle(one).overflow));
  while (box && !scrolls(box)) box = box.parentElement;
  box ??= document.scrollingElement ?? document.documentElement;
  const [left, top] = [box.scrollLeft, box.scrollTop];
  const page = [Math.max(1, box.clientWidth * 0.9), Math.max(1, box.clientHeight * 0.9)];
  /** @type {Record<string, number[]>} */
  const SIDES = {
    up: [0, -page[1]], down: [0, page[1]], left: [-page[0], 0], right: [page[0], 0],
    top: [0, -box.scrollHeight], bottom: [0, box.scrollHeight],
  };
  const [x, y] = typeof by === "string" ? SIDES[by] : by;
  box.scrollBy({ left: x, top: y, behavior: "instant" });
  return box.scrollLeft !== left || box.scrollTop !== top;
})
