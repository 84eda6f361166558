// @ts-check
// Reports which texts an action of the user brought to the page, and which it took away. Runs in our own world of the
// main frame, and watches the document only from an action until the page has come to rest: see actions.js.
(function observeEffects() {
  const QUIET_MS = 300;
  const LONGEST_MS = 2500;
  const TEXT_CHARS = 80;
  const CHANGED = 200;
  const REMOVED = 100;
  const SHOWN = 4;
  const GONE = 2;
  const EVENTS = ["click", "dblclick", "contextmenu", "change", "input", "keydown", "drop"];
  const REPORTED_KEYS = new Set(["Enter", "Escape", "ArrowUp", "ArrowDown", "Delete", "Backspace", " "]);
  const WORD = /\p{L}{2}/u;
  if (top !== self || location.href === "about:blank") return;
  /** @type {any} */
  const world = globalThis;
  const { TEST_IDS, attribute, findByText, findRoots, getter, isField, parentOf, query, readText, tagOf } =
    world.gasolineDom;
  const isConnected = getter(Node.prototype, "isConnected");
  if (!world.scheduler) return;
  /** @type {{cause: string, ts: number, begun: number, moved: number, nodes: Set<Node>, removed: Set<string>} | null} */
  let running = null;

  /** @param {Element} element */
  const visible = (element) =>
    Element.prototype.checkVisibility.call(element, { opacityProperty: true, visibilityProperty: true });

  /** @param {Node} node */
  const textIn = (node) => {
    const element = node instanceof Element ? node : parentOf(node);
    return element instanceof Element && !isField(element) ? readText(element, TEXT_CHARS + 1) : "";
  };

  /** @param {string} text */
  const isWorthTelling = (text) => text.length <= TEXT_CHARS && WORD.test(text);

  const changes = new MutationObserver((records) => {
    if (!running) return;
    running.moved = performance.now();
    for (const record of records) {
      if (record.type !== "childList") {
        if (running.nodes.size < CHANGED) running.nodes.add(record.target);
        continue;
      }
      for (const node of record.addedNodes) if (running.nodes.size < CHANGED) running.nodes.add(node);
      for (const node of record.removedNodes) {
        if (running.removed.size >= REMOVED) break;
        for (const text of node instanceof Element ? textsBelow(node) : [(node.nodeValue ?? "").trim()]) {
          if (isWorthTelling(text)) running.removed.add(text);
        }
      }
    }
  });

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

  /** @param {Set<Node>} nodes @param {Set<string>} removed */
  const appeared = (nodes, removed) => {
    /** @type {Map<string, Record<string, unknown>>} */
    const texts = new Map();
    const roots = findRoots();
    for (const node of nodes) {
      const element = node instanceof Element ? node : parentOf(node);
      if (!(element instanceof Element) || !isConnected(element) || !visible(element)) continue;
      for (const text of textsBelow(element)) {
        if (texts.size >= SHOWN) return [...texts.values()];
        if (!isWorthTelling(text) || texts.has(text) || removed.has(text)) continue;
        // A text that stands twice cannot be expected to be the one.
        const [only, ...others] = findByText(roots, text) ?? [];
        if (!only || others.length || !visible(only)) continue;
        texts.set(text, { text, ...named(only) });
      }
    }
    return [...texts.values()];
  };

  // By its test id if it has one, otherwise by its text.
  /** @param {Element} element */
  const named = (element) => {
    const name = TEST_IDS.find((/** @type {string} */ name) => attribute(element, name));
    const value = name && attribute(element, name);
    const selector = value && `[${name}="${CSS.escape(value)}"]`;
    if (selector && query(document, selector).length === 1) return { role: "test_id", selector, attribute: name, value };
    if (/^h[12]$/.test(tagOf(element))) return { role: "heading", selector: tagOf(element) };
    return { role: "text", selector: tagOf(element) };
  };

  const finish = () => {
    if (!running) return;
    const { ts, nodes, removed } = running;
    running = null;
    changes.disconnect();
    const roots = findRoots();
    const gone = [...removed].filter((text) => findByText(roots, text)?.size === 0).slice(0, GONE);
    // What was only drawn anew is no effect.
    const elements = [...appeared(nodes, removed), ...gone.map((text) => ({ role: "gone", text, selector: "*" }))];
    if (!elements.length) return;
    world.gasolineSend({ kind: "dom_snapshot", ts, url: location.href, trigger: "action", elements });
  };

  const settle = () => {
    if (!running) return;
    const now = performance.now();
    const quiet = running.moved ? now - running.moved : 0;
    if (quiet >= QUIET_MS || now - running.begun >= LONGEST_MS) finish();
    else later();
  };

  const later = () => {
    const guarded = () => {
      try {
        settle();
      } catch {
        // Losing an effect is better than disturbing a page.
      }
    };
    world.scheduler.postTask(guarded, { delay: QUIET_MS, priority: "background" }).catch(() => {});
  };

  /** @param {any} event */
  const begin = (event) => {
    if (!event.isTrusted || (event.type === "keydown" && !REPORTED_KEYS.has(event.key))) return;
    // A text field reports its change when it is left: the click that leaves it is the action.
    if (event.type === "change" && !(event.composedPath()[0] instanceof HTMLSelectElement)) return;
    const now = performance.now();
    if (running?.cause === "input" && event.type === "input") {
      running.begun = now;
      return;
    }
    // A click on a label clicks its field; a change follows the click that made it.
    if (running && now - running.begun < 30) return;
    const waiting = running !== null;
    finish();
    running = {
      cause: event.type, ts: world.gasolineWhen(event), begun: now, moved: 0, nodes: new Set(), removed: new Set(),
    };
    const what = {
      subtree: true, childList: true, characterData: true, attributes: true,
      attributeFilter: ["class", "style", "hidden", "open", "aria-hidden", "aria-expanded"],
    };
    changes.observe(document, what);
    for (const node of event.composedPath()) if (node instanceof ShadowRoot) changes.observe(node, what);
    if (!waiting) later();
  };

  const guardedBegin = (/** @type {Event} */ event) => {
    try {
      begin(event);
    } catch {
      // As above.
    }
  };
  const listen = () => {
    for (const type of EVENTS) addEventListener(type, guardedBegin, { capture: true, passive: true });
    addEventListener("pagehide", () => changes.disconnect(), { capture: true, passive: true });
  };
  listen();
})
