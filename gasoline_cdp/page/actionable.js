// @ts-check
// Whether an element can be acted on now, and at which point a pointer reaches it. Looks at it in two frames that the
// page draws: what moves between them is not acted on. Scrolls it into view if need be. Needs `gasolineReach`.
(async function actionable(/** @type {any} */ request, /** @type {Element} */ element) {
  /** @type {any} */
  const world = globalThis;
  if (!Object.hasOwn(world, "gasolineReach")) return { missing: true };
  const { nameOf, hitAt, outer, receives } = world.gasolineReach;
  const { attribute, getter, isField } = world.gasolineDom;
  const isConnected = getter(Node.prototype, "isConnected");
  // How to scroll, if the last way left it covered: what covers it may stick to an edge.
  const ALIGNMENTS = ["center", "end", "start", "nearest"];
  // Where in a box to press: in the middle, else beside it.
  const SHARES = [[0.5, 0.5], [0.25, 0.5], [0.75, 0.5], [0.5, 0.25], [0.5, 0.75]];

  const drawn = () => new Promise((done) => requestAnimationFrame(done));
  /** @returns {DOMRect[]} */
  const boxes = () => [...Element.prototype.getClientRects.call(element)].filter((box) => box.width > 0 && box.height > 0);
  /** @param {DOMRect[]} parts */
  const written = (parts) => JSON.stringify(parts.map((box) => [box.x, box.y, box.width, box.height]));
  /** @param {string} selector @returns {Element | null} */
  const around = (selector) => {
    for (let node = /** @type {Node | null} */ (element); node; node = outer(node)) {
      if (node instanceof Element && Element.prototype.matches.call(node, selector)) return node;
    }
    return null;
  };

  const state = () => {
    if (!isConnected(element)) return { problem: "detached" };
    if (request.pointer || request.visible) {
      const seen = Element.prototype.checkVisibility.call(element, { visibilityProperty: true, contentVisibilityAuto: true });
      if (!seen || !boxes().length) return { problem: "hidden" };
    }
    if (request.enabled) {
      if (Element.prototype.matches.call(element, ":disabled") || around("[aria-disabled=true]")) {
        return { problem: "disabled" };
      }
      if (around("[inert]")) return { problem: "inert" };
    }
    if (request.editable) {
      if (!isField(element)) return { problem: "no_field" };
      if (Element.prototype.matches.call(element, ":read-only") && element instanceof HTMLInputElement && element.readOnly) {
        return { problem: "readonly" };
      }
      if (element instanceof HTMLTextAreaElement && element.readOnly) return { problem: "readonly" };
      if (attribute(element, "aria-readonly") === "true") return { problem: "readonly" };
    }
    return null;
  };

  // A point of the element that a pointer reaches, as a share of one of its boxes.
  const point = () => {
    const parts = boxes();
    if (request.at) {
      const box = Element.prototype.getBoundingClientRect.call(element);
      const [x, y] = [box.x + request.at[0], box.y + request.at[1]];
      const inView = x >= 0 && y >= 0 && x < innerWidth && y < innerHeight && receives(element, x, y);
      return inView ? { x, y } : { covered: hitAt(element, x, y) };
    }
    /** @type {Element | null} */
    let covering = null;
    for (const box of parts) {
      const [left, top] = [Math.max(0, box.left), Math.max(0, box.top)];
      const [right, bottom] = [Math.min(innerWidth, box.right), Math.min(innerHeight, box.bottom)];
      if (right - left < 1 || bottom - top < 1) continue;
      for (const [across, down] of SHARES) {
        const [x, y] = [left + (right - left) * across, top + (bottom - top) * down];
        if (receives(element, x, y)) return { x, y };
        covering ??= hitAt(element, x, y);
      }
    }
    return { covered: covering };
  };

  const before = state();
  if (before) return before;
  if (!request.pointer) return { ready: true };
  let free = point();
  if (!("x" in free) || request.scroll) {
    const block = ALIGNMENTS[request.attempt % ALIGNMENTS.length];
    element.scrollIntoView({ behavior: "instant", block: /** @type {ScrollLogicalPosition} */ (block), inline: "nearest" });
  }
  await drawn();
  const first = written(boxes());
  await drawn();
  const after = state();
  if (after) return after;
  if (written(boxes()) !== first) return { problem: "moving" };
  free = point();
  if (!("x" in free)) {
    return free.covered ? { problem: "covered", by: nameOf(free.covered) } : { problem: "outside" };
  }
  const box = Element.prototype.getBoundingClientRect.call(element);
  return { ready: true, x: free.x, y: free.y, share: [(free.x - box.x) / box.width, (free.y - box.y) / box.height] };
})
