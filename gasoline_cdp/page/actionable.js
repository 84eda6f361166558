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

  // Fields that take no text.
  const CHOSEN = new Set(["checkbox", "radio", "file"]);

  const drawn = () => new Promise((done) => requestAnimationFrame(done));
  // An element without a box of its own (`display: contents`) is where its content is.
  /** @returns {DOMRect[]} */
  const boxes = () => {
    let parts = [...Element.prototype.getClientRects.call(element)];
    if (!parts.length && getComputedStyle(element).display === "contents") {
      const range = document.createRange();
      Range.prototype.selectNodeContents.call(range, element);
      parts = [...Range.prototype.getClientRects.call(range)];
    }
    return parts.filter((box) => box.width > 0 && box.height > 0);
  };
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
      // What a page skips until it comes into view (`content-visibility: auto`) is there: it is scrolled to.
      const shown = Element.prototype.checkVisibility.call(element, { visibilityProperty: true });
      const contents = getComputedStyle(element).display === "contents";
      if (!(shown || contents) || !boxes().length) {
        return { problem: element instanceof HTMLOptionElement ? "closed_list" : "hidden" };
      }
    }
    if (request.enabled) {
      if (Element.prototype.matches.call(element, ":disabled") || around("[aria-disabled=true]")) {
        return { problem: "disabled" };
      }
      if (around("[inert]")) return { problem: "inert" };
    }
    if (request.editable) {
      if (!isField(element)) return { problem: "no_field" };
      if (element instanceof HTMLSelectElement) return { problem: "list" };
      if (element instanceof HTMLInputElement && CHOSEN.has(element.type)) return { problem: element.type };
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
    if (!free.covered) return { problem: "outside" };
    // What takes no pointer is never reached, whatever lies over or under it.
    if (getComputedStyle(element).pointerEvents === "none") return { problem: "no_pointer" };
    return { problem: "covered", by: nameOf(free.covered) };
  }
  return { ready: true, x: free.x, y: free.y };
})
