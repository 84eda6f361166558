// @ts-check
// Scrolls an element that shows a frame into view, unless a part of it is: the browser draws nothing in frames of other
// sites that nobody sees, so nothing inside them could be checked.
(function showFrame(/** @type {HTMLElement} */ owner) {
  const box = owner.getBoundingClientRect();
  let [left, top, right, bottom] = [0, 0, innerWidth, innerHeight];
  for (let node = /** @type {Element | null} */ (owner); node; node = node.parentElement) {
    const clip = node.getBoundingClientRect();
    if (node !== owner && (node === document.documentElement || getComputedStyle(node).overflow === "visible")) continue;
    [left, top] = [Math.max(left, clip.left), Math.max(top, clip.top)];
    [right, bottom] = [Math.min(right, clip.right), Math.min(bottom, clip.bottom)];
  }
  if (box.width && box.height && (right - left < 1 || bottom - top < 1)) {
    owner.scrollIntoView({ behavior: "instant", block: "center", inline: "nearest" });
  }
})
