// @ts-check
// Reports what a user does with the pointer besides a plain click: double and right clicks, dragging, and hovering that
// opened what was clicked next. Uses the reporting of actions.js, which runs before it.
(function observeGestures() {
  const DRAG_PIXELS = 8;
  const REVEALED_MS = 10000;
  const HOVER_MS = 800;
  const RULES = 3000;
  const LEVELS = 8;
  const GRABBED = /grab|move|resize|all-scroll/;
  /** @type {any} */
  const world = globalThis;
  if (!world.gasolineActions) return;
  const { act, guarded, later, meant, tellTyped, when } = world.gasolineActions;
  const { modifiersOf } = world.gasolineDetails;
  const { parentOf, selectorsOf, shownText } = world.gasolineDom;
  /** @type {{element: Element, x: number, y: number, from: number[], captured: boolean} | null} */
  let pressed = null;
  let pressedAt = { x: -1, y: -1 };
  // What something was last dragged over, where that was when the pointer came to it, and whether the pointer left it.
  // Pages move it away then, to make room: the place in it is told as if it had stayed.
  /** @type {{element: Element, box: DOMRect, left: boolean} | null} */
  let over = null;
  /** @type {Element | null} */
  let dragged = null;
  /** @type {{by: Element, ts: number, nodes: Set<Node>, at: number} | null} */
  let revealed = null;
  // What the pointer came to, until a button or key is pressed: what changes then has another cause.
  /** @type {Element | null} */
  let hovered = null;
  let hoveredAt = 0;
  /** @param {MutationRecord[]} records */
  const collect = (records) => {
    if (!hovered || !records.length) return;
    const nodes = new Set(records.flatMap((record) => [record.target, ...record.addedNodes]));
    nodes.delete(document.documentElement);
    nodes.delete(document.body);
    if (!revealed || revealed.by !== hovered) revealed = { by: hovered, ts: hoveredAt, nodes, at: performance.now() };
    else for (const node of nodes) revealed.nodes.add(node);
  };
  const changes = new MutationObserver(collect);
  const endHovering = () => {
    collect(changes.takeRecords());
    changes.disconnect();
    hovered = null;
  };

  /** @param {Element} element @param {number} x @param {number} y */
  const inside = (element, x, y) => {
    const box = Element.prototype.getBoundingClientRect.call(element);
    return [Math.round(x - box.x), Math.round(y - box.y)];
  };

  // The element under the pointer, unless it is what is being dragged or contains that: a page may move it along, or
  // already to its new place.
  /** @param {Element} element @param {any} event */
  const draggedOver = (element, event) => {
    const { clientX: x, clientY: y } = event;
    const under = Document.prototype.elementsFromPoint.call(document, x, y);
    const other = under.find((one) => !Node.prototype.contains.call(element, one));
    if (!other || Node.prototype.contains.call(other, element)) {
      if (over) over.left = true;
    } else if (over?.element !== other || over.left) {
      over = { element: other, box: Element.prototype.getBoundingClientRect.call(other), left: false };
    }
  };

  // Where something was dropped, as a place in what it was dragged over.
  /** @param {any} event @param {DOMRect} box */
  const placeIn = (event, { x, y, width, height }) => {
    const within = (/** @type {number} */ at, /** @type {number} */ size) => Math.round(Math.max(1, Math.min(at, size - 1)));
    return [within(event.clientX - x, width), within(event.clientY - y, height)];
  };

  // A drag is reported with where it began in its element and where it ended in the other.
  /** @param {number} ts @param {Element} element @param {any} event @param {number[]} from */
  const dropped = (ts, element, event, from) => {
    draggedOver(element, event);
    const target = over && { to: placeIn(event, over.box), target: selectorsOf(over.element) };
    act("drag", ts, element, { from, ...target });
  };

  // The element whose hovering a style sheet requires for this one to be seen.
  /** @param {Element} element */
  const shownByHovering = (element) => {
    let looked = 0;
    for (const sheet of document.styleSheets) {
      /** @type {CSSRuleList | never[]} */
      let rules = [];
      try {
        rules = sheet.cssRules;
      } catch {
        // A style sheet of another origin.
      }
      for (const rule of rules) {
        if (++looked > RULES) return null;
        if (!(rule instanceof CSSStyleRule) || !rule.selectorText.includes(":hover")) continue;
        const { display, visibility, opacity, pointerEvents } = rule.style;
        if (!(display || visibility || opacity || pointerEvents) || display === "none") continue;
        const owner = hoverOwner(element, rule.selectorText);
        if (owner) return owner;
      }
    }
    return null;
  };

  /** @param {Element} element @param {string} selectors */
  const hoverOwner = (element, selectors) => {
    for (const selector of selectors.split(",")) {
      const index = selector.indexOf(":hover");
      // What follows the hovered part is what it shows.
      if (index < 1 || !/[\s>+~]/.test(selector.slice(index + 6).trimEnd())) continue;
      let shown = /** @type {Node | null} */ (element);
      for (let level = 0; shown instanceof Element && level < LEVELS; level++, shown = parentOf(shown)) {
        if (!Element.prototype.matches.call(shown, selector)) continue;
        const owner = Element.prototype.closest.call(shown, selector.slice(0, index).trim());
        if (owner && owner !== element) return owner;
      }
    }
    return null;
  };

  // What had to be hovered to see an element, and when it was.
  /** @param {Element} element @param {number} pressed @returns {[Element | null, number]} */
  const hoveredFor = (element, pressed) => {
    if (revealed && performance.now() - revealed.at < REVEALED_MS && revealed.by !== element) {
      for (const node of revealed.nodes) {
        if (node instanceof Element && Node.prototype.contains.call(node, element)) {
          return [Node.prototype.contains.call(element, revealed.by) ? null : revealed.by, revealed.ts];
        }
      }
    }
    return [shownByHovering(element), pressed - 1];
  };

  /** @type {Record<string, (event: any) => void>} */
  const listeners = {
    pointerdown(event) {
      const element = meant(event);
      const { clientX: x, clientY: y } = event;
      pressedAt = { x, y };
      over = null;
      pressed = element && event.button === 0
        ? { element, x, y, from: inside(element, x, y), captured: false }
        : null;
      endHovering();
      if (!element || event.pointerType !== "mouse") return;
      const [trigger, ts] = hoveredFor(element, when(event));
      if (trigger) act("hover", ts, trigger, {});
      revealed = null;
    },

    gotpointercapture() {
      if (pressed) pressed.captured = true;
    },

    pointerup(event) {
      const from = pressed;
      pressed = null;
      if (!from || dragged || Math.hypot(event.clientX - from.x, event.clientY - from.y) < DRAG_PIXELS) return;
      const { cursor, touchAction } = getComputedStyle(from.element);
      // Otherwise text was selected.
      if (from.captured || GRABBED.test(cursor) || touchAction === "none") dropped(when(event), from.element, event, from.from);
    },

    pointermove(event) {
      if (pressed?.captured) draggedOver(pressed.element, event);
    },

    // Before the page moves it there.
    dragenter(event) {
      if (dragged) draggedOver(dragged, event);
    },

    dragover(event) {
      if (dragged) draggedOver(dragged, event);
    },

    dragstart(event) {
      const [first] = event.composedPath();
      dragged = first instanceof Element ? first : null;
    },

    drop(event) {
      if (dragged && pressed) dropped(when(event), dragged, event, pressed.from);
    },

    dragend() {
      dragged = null;
      pressed = null;
    },

    dblclick(event) {
      const element = meant(event);
      tellTyped();
      if (element) act("dblclick", when(event), element, { text: shownText(element, 100) });
    },

    contextmenu(event) {
      const element = meant(event);
      // The key for menus opens one, too.
      if (element && event.button === 2) act("contextmenu", when(event), element, modifiersOf(event));
    },

    auxclick(event) {
      const element = meant(event);
      if (element && event.button === 1) act("auxclick", when(event), element, modifiersOf(event));
    },

    keydown: endHovering,

    pointerover(event) {
      if (event.pointerType !== "mouse" || event.buttons) return;
      const element = meant(event);
      // The page changed below a pointer that stands still.
      if (event.clientX === pressedAt.x && event.clientY === pressedAt.y) return;
      if (!element || element === hovered) return;
      endHovering();
      [hovered, hoveredAt] = [element, when(event)];
      changes.observe(document, { subtree: true, childList: true, attributes: true });
      later(() => hovered === element && changes.disconnect(), { delay: HOVER_MS, priority: "background" });
    },
  };

  for (const [type, listener] of Object.entries(listeners)) {
    const handler = guarded((/** @type {Event} */ event) => {
      if (event.isTrusted) listener(event);
    });
    addEventListener(type, handler, { capture: true, passive: true });
  }
})
