// @ts-check
// Where a point inside a frame is in the document around it, and whether a pointer there reaches the frame.
// Needs `gasolineReach`.
(function frameCorner(/** @type {number[]} */ point, /** @type {HTMLElement} */ owner) {
  /** @type {any} */
  const world = globalThis;
  if (!Object.hasOwn(world, "gasolineReach")) return { missing: true };
  const { hitAt, nameOf, receives } = world.gasolineReach;
  const box = Element.prototype.getBoundingClientRect.call(owner);
  const style = getComputedStyle(owner);
  const scale = [box.width / (owner.offsetWidth || 1), box.height / (owner.offsetHeight || 1)];
  const x = box.x + scale[0] * (owner.clientLeft + parseFloat(style.paddingLeft) + point[0]);
  const y = box.y + scale[1] * (owner.clientTop + parseFloat(style.paddingTop) + point[1]);
  if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) return { problem: "outside" };
  return receives(owner, x, y) ? { x, y } : { problem: "covered", by: nameOf(hitAt(owner, x, y)) };
})
