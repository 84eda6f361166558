// @ts-check
// Reports which texts an action of the user brought to the page, and which it took away. Runs in our own world of the
// main frame.
//
// What changes belongs to the action after which it changed, never to an earlier one: a test that expected it earlier
// would always fail. So every press of a button or key ends what is counted for the action before it. A press is
// counted for the click that ends it; if none does, it is not told. The document is watched from an action until it has
// been at rest for a while. Each report replaces those before it that have the same time.
(function observeEffects() {
  const QUIET_MS = 300;
  const RESTLESS_MS = 900;
  const LONGEST_MS = 4000;
  // A text that changes as often within one action changes of itself.
  const RESTLESS = 3;
  const DRAG_PIXELS = 8;
  const HOVER_MS = 1000;
  const TEXT_CHARS = 80;
  const CHANGED = 200;
  const REMOVED = 100;
  const SHOWN = 4;
  const GONE = 2;
  const SIBLINGS = 10;
  const KEYS = new Set([
    "Enter", "Escape", "Tab", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Backspace", "Delete",
  ]);
  // For these the click is the action.
  const CLICKED = new Set(["checkbox", "radio", "button", "submit", "reset", "image", "hidden"]);
  const WORD = /\p{L}{2}/u;
  const LINE = "li, tr, label, [role=row], [role=listitem], [role=option]";
  if (top !== self || location.href === "about:blank") return;
  /** @type {any} */
  const world = globalThis;
  const { TEST_IDS, attribute, findByText, findRoots, getter, isField, parentOf, query, readText, squeeze, tagOf } =
    world.gasolineDom;
  const { isShortcut } = world.gasolineDetails;
  const { gasolineOutline } = world;
  const isConnected = getter(Node.prototype, "isConnected");
  if (!world.scheduler) return;
  /**
   * @typedef {object} Watched
   * @property {number | null} ts of the action; null while a button is pressed and nobody knows what for
   * @property {Node | null} target
   * @property {boolean} typing
   * @property {number} begun
   * @property {number} moved
   * @property {string} reported
   * @property {number} reportedAt
   * @property {Set<Node>} nodes that were added or whose text changed
   * @property {Set<Node>} altered whose attributes changed
   * @property {Set<string>} removed
   * @property {Map<Node, number>} times how often the texts in an element changed
   */
  /** @type {Watched | null} */
  let running = null;
  let [waiting, enterDown, clickedAt] = [false, false, -1];
  // When the page is looked at next.
  let dueAt = 0;
  // Whether the page is told where the pointer is, and since when that is there.
  let [hovering, hoveredAt] = [false, -Infinity];
  let pressedAt = { x: 0, y: 0 };

  /** @param {Element} element */
  const drawn = (element) =>
    Element.prototype.checkVisibility.call(element, { opacityProperty: true, visibilityProperty: true });

  // For test runners, what has no size is not visible either.
  /** @param {Element} element */
  const visible = (element) => {
    const { height, width } = Element.prototype.getBoundingClientRect.call(element);
    return height > 0 && width > 0 && drawn(element);
  };

  // Libraries set aria-hidden on all the rest of a page while a dialog is open: that shows and hides nothing.
  /** @param {MutationRecord} record */
  const isAside = ({ attributeName, target }) =>
    attributeName === "aria-hidden" &&
    (parentOf(target) === document.body || attribute(/** @type {Element} */ (target), "aria-hidden") === "true");

  /** @param {Node} node */
  const textIn = (node) => {
    const element = node instanceof Element ? node : parentOf(node);
    return element instanceof Element && !isField(element) ? readText(element, TEXT_CHARS + 1) : "";
  };

  /** @param {string} text */
  const isWorthTelling = (text) => text.length <= TEXT_CHARS && WORD.test(text);

  /** @param {MutationRecord} record @returns {Node} */
  const changedParent = ({ type, target }) => (type === "characterData" && parentOf(target)) || target;

  // What changes while the pointer moves on, long after the action, is not its effect: a menu opens, a hint is shown.
  /** @param {Watched} watched */
  const isByHovering = ({ begun }) => {
    const now = performance.now();
    return hovering || (now - hoveredAt < HOVER_MS && hoveredAt - begun > HOVER_MS);
  };

  // What the element of a text read before that was replaced.
  /** @param {MutationRecord} record */
  const former = ({ target, oldValue }) => {
    const parent = parentOf(target);
    if (!(parent instanceof Element) || isField(parent) || parent.childNodes.length > SIBLINGS || !drawn(parent)) return "";
    const texts = [...parent.childNodes].map((node) => (node === target ? oldValue : node.textContent));
    return squeeze(texts.join("").slice(0, 2 * TEXT_CHARS));
  };

  /** @param {MutationRecord[]} records */
  const collect = (records) => {
    if (!running || !records.length || isByHovering(running)) return;
    const { altered, nodes, removed, times } = running;
    running.moved = performance.now();
    for (const parent of new Set(records.map(changedParent))) times.set(parent, (times.get(parent) ?? 0) + 1);
    for (const record of records) {
      if (record.type === "attributes") {
        if (altered.size < CHANGED && !isAside(record)) altered.add(record.target);
        continue;
      }
      if (record.type === "characterData") {
        const text = former(record);
        if (removed.size < REMOVED && !nodes.has(record.target) && isWorthTelling(text)) removed.add(text);
        if (nodes.size < CHANGED) nodes.add(record.target);
      }
      // Frameworks mark places with comments and empty texts: around those nothing has changed.
      for (const node of record.addedNodes) {
        const isShown = node instanceof Element || (node instanceof Text && /\S/.test(node.data));
        if (isShown && nodes.size < CHANGED) nodes.add(node);
      }
      for (const node of record.removedNodes) {
        if (removed.size >= REMOVED) break;
        // It came with this action, too.
        if (nodes.has(node)) continue;
        // Of a text that is marked in parts, no part alone says what went.
        if (!(node instanceof Element) && (record.previousSibling || record.nextSibling)) continue;
        const texts = node instanceof Element ? textsBelow(node) : node instanceof Text ? [squeeze(node.data)] : [];
        for (const text of texts) {
          if (isWorthTelling(text)) removed.add(text);
        }
      }
    }
  };
  const changes = new MutationObserver(collect);

  // The smallest texts that a reader sees as one.
  /** @param {Element} root @returns {string[]} */
  const textsBelow = (root) => {
    /** @type {Set<string>} */
    const texts = new Set();
    const walker = Document.prototype.createTreeWalker.call(document, root, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(), looked = 0; node && looked < CHANGED; node = walker.nextNode(), looked++) {
      if (!(/** @type {Text} */ (node).data.trim())) continue;
      const text = textIn(node);
      if (text) texts.add(text);
    }
    return [...texts];
  };

  // What came before what was altered, since that may only look different. What contains the target was there before.
  /** @param {Watched} watched @returns {Element[]} */
  const changedElements = ({ altered, nodes, target }) => {
    const holds = (/** @type {Node} */ node) => target !== null && Node.prototype.contains.call(node, target);
    const looks = [...altered].filter((node) => node !== document.documentElement && node !== document.body);
    const ordered = [...nodes, ...looks.filter((node) => !holds(node)), ...looks.filter(holds)];
    const elements = ordered.map((node) => (node instanceof Element ? node : parentOf(node)));
    return elements.filter((element) => element instanceof Element && isConnected(element) && visible(element));
  };

  // The element of each text that came, by the text.
  /** @param {Watched} watched @param {Node[]} roots @param {Element[]} changed */
  const appeared = (watched, roots, changed) => {
    /** @type {Map<string, Element>} */
    const texts = new Map();
    for (const element of changed) {
      for (const text of textsBelow(element)) {
        if (texts.size >= SHOWN) return texts;
        // What was only drawn anew is no effect.
        if (!isWorthTelling(text) || texts.has(text) || watched.removed.has(text)) continue;
        // A text that stands twice cannot be expected to be the one.
        const [only, ...others] = findByText(roots, text) ?? [];
        if (!only || others.length || !visible(only)) continue;
        if (isRestless(watched, only)) continue;
        texts.set(text, only);
      }
    }
    return texts;
  };

  /** @param {Watched} watched @param {Element} element */
  const isRestless = (watched, element) => !watched.typing && (watched.times.get(element) ?? 0) >= RESTLESS;

  // The region around what came, or around what was put into another order.
  /** @param {Watched} watched @param {Element[]} came @param {Element[]} changed */
  const outlineOf = (watched, came, changed) => {
    const anchors = came.length ? came : changed.filter((element) => watched.nodes.has(element));
    const { nodes, target } = watched;
    const renewed = new Set([...nodes].map((node) => (node instanceof Element ? node : parentOf(node))));
    // What only looks different around the target, such as a whole form, has not changed; a row has.
    const isChanged = (/** @type {Element} */ element) =>
      renewed.has(element) ||
      !target ||
      !Node.prototype.contains.call(element, target) ||
      Element.prototype.matches.call(element, LINE);
    const marked = new Set(changed.filter(isChanged));
    return gasolineOutline(anchors, marked, (/** @type {Element} */ element) => isRestless(watched, element));
  };

  // By its test id if it has one, otherwise by its text.
  /** @param {Element} element */
  const named = (element) => {
    const name = TEST_IDS.find((/** @type {string} */ name) => attribute(element, name));
    const value = name && attribute(element, name);
    const selector = value && `[${name}="${CSS.escape(value)}"]`;
    if (selector && query(document, selector).length === 1) return { role: "test_id", selector, attribute: name, value };
    const isHeading = /^h[12]$/.test(tagOf(element)) && !Element.prototype.closest.call(element, "[aria-hidden=true]");
    if (isHeading) return { role: "heading", selector: tagOf(element) };
    return { role: "text", selector: tagOf(element) };
  };

  // Reports what has changed so far, unless it was already reported.
  const tell = () => {
    if (!running || running.ts === null || !running.moved) return;
    running.reportedAt = performance.now();
    const roots = findRoots();
    const gone = [...running.removed].filter((text) => findByText(roots, text)?.size === 0).slice(0, GONE);
    const changed = changedElements(running);
    const came = appeared(running, roots, changed);
    const elements = [
      ...[...came].map(([text, element]) => ({ text, ...named(element) })),
      ...gone.map((text) => ({ role: "gone", text, selector: "*" })),
    ];
    const outline = outlineOf(running, [...came.values()], changed);
    const report = JSON.stringify([elements, outline]);
    if (report === (running.reported || "[[],null]")) return;
    running.reported = report;
    const snapshot = { kind: "dom_snapshot", ts: running.ts, url: location.href, trigger: "action", elements, outline };
    world.gasolineSend(snapshot);
  };

  const close = () => {
    collect(changes.takeRecords());
    tell();
    changes.disconnect();
    running = null;
  };

  const settle = () => {
    waiting = false;
    if (!running) return;
    const now = performance.now();
    // While a dialog is open or the page is busy, nothing can come of the action.
    running.begun += Math.max(0, now - dueAt - QUIET_MS);
    if (now - running.begun >= LONGEST_MS) return close();
    // A page that never comes to rest is told of now and then.
    if (running.moved && (now - running.moved >= QUIET_MS || now - running.reportedAt >= RESTLESS_MS)) tell();
    later();
  };

  const later = () => {
    if (waiting) return;
    waiting = true;
    dueAt = performance.now() + QUIET_MS;
    world.scheduler.postTask(guarded(settle), { delay: QUIET_MS, priority: "background" }).catch(() => {});
  };

  /** @param {(...given: any[]) => void} task */
  const guarded = (task) => (/** @type {any[]} */ ...given) => {
    try {
      task(...given);
    } catch {
      // Losing an effect is better than disturbing a page.
    }
  };

  /** @param {any} event @param {number | null} ts @param {boolean} [typing] */
  const begin = (event, ts, typing = false) => {
    close();
    const [target] = event.composedPath();
    running = {
      ts, typing, target: target instanceof Node ? target : null, begun: performance.now(), moved: 0, reported: "",
      reportedAt: performance.now(),
      nodes: new Set(), altered: new Set(), removed: new Set(), times: new Map(),
    };
    const what = {
      subtree: true, childList: true, characterData: true, characterDataOldValue: true, attributes: true,
      attributeFilter: ["class", "style", "hidden", "open", "aria-hidden"],
    };
    changes.observe(document, what);
    for (const node of event.composedPath()) if (node instanceof ShadowRoot) changes.observe(node, what);
    later();
  };

  // The action that a press was for, or one that needs no press.
  /** @param {Event} event @param {boolean} [typing] */
  const act = (event, typing = false) => {
    const ts = world.gasolineWhen(event);
    if (running?.ts !== null || typing) begin(event, ts, typing);
    else running.ts = ts;
  };

  /** @type {Record<string, (event: any) => void>} */
  const listeners = {
    pointerdown(event) {
      [hovering, enterDown] = [false, false];
      pressedAt = { x: event.clientX, y: event.clientY };
      begin(event, null);
    },

    pointerup(event) {
      const isDrag = Math.hypot(event.clientX - pressedAt.x, event.clientY - pressedAt.y) >= DRAG_PIXELS;
      if (isDrag && running?.ts === null) act(event);
    },

    pointerover(event) {
      if (event.pointerType !== "mouse" || event.buttons || !running) return;
      // The page changed below a pointer that stands still.
      if (event.clientX === pressedAt.x && event.clientY === pressedAt.y) return;
      collect(changes.takeRecords());
      [hovering, hoveredAt] = [true, performance.now()];
      world.scheduler.postTask(() => (hovering = false), { priority: "user-blocking" }).catch(() => {});
    },

    click(event) {
      // A click on a label is forwarded to its field; Enter clicks the button of a form.
      if (event.timeStamp === clickedAt || (enterDown && event.detail === 0)) return;
      clickedAt = event.timeStamp;
      act(event);
    },

    contextmenu: act,
    drop: act,

    auxclick(event) {
      if (event.button === 1) act(event);
    },

    keydown(event) {
      if (event.isComposing || event.repeat || !(KEYS.has(event.key) || isShortcut(event))) return;
      enterDown = event.key === "Enter";
      begin(event, world.gasolineWhen(event));
    },

    keyup(event) {
      if (event.key === "Enter") enterDown = false;
    },

    input(event) {
      const [element] = event.composedPath();
      if (!(element instanceof Element) || !isField(element) || element instanceof HTMLSelectElement) return;
      if (element instanceof HTMLInputElement && CLICKED.has(element.type)) return;
      if (running?.typing && running.target === element) running.begun = performance.now();
      else act(event, true);
    },

    change(event) {
      // A text field reports its change when it is left: the click that leaves it is the action.
      if (event.composedPath()[0] instanceof HTMLSelectElement) act(event);
    },

    pagehide: () => changes.disconnect(),
  };

  // What going back or forward brings belongs to no action before it.
  world.navigation?.addEventListener("navigate", (/** @type {any} */ event) => {
    if (event.navigationType === "traverse" && event.userInitiated) guarded(close)();
  });
  for (const [type, listener] of Object.entries(listeners)) {
    const handler = guarded((/** @type {Event} */ event) => {
      if (event.isTrusted) listener(event);
    });
    addEventListener(type, handler, { capture: true, passive: true });
  }
})
