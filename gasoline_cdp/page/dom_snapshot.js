// @ts-check
// Reports what a page shows once it has loaded, and after each change of its address: headings, then elements with a
// test id. Runs in our own world of the main frame. It does not use the page's timers: see actions.js.
(function observeDom() {
  const LOAD_MS = 200;
  const HISTORY_MS = 500;
  // The page is outlined when it looks the same twice.
  const REST_MS = 400;
  const LOOKS = 4;
  const ELEMENTS = 5;
  // The reader keeps 100. It must see a secret at the cut whole to recognise it.
  const TEXT_CHARS = 612;
  // Per kind. A page of ten thousand rows is not read to the end.
  const LOOKED_AT = 200;
  if (top !== self || location.href === "about:blank") return;
  /** @type {any} */
  const world = globalThis;
  const { TEST_IDS, attribute, getter, query, shownText, tagOf } = world.gasolineDom;
  let turn = 0;
  let address = location.href;
  let acted = false;

  /** @param {Element} element */
  const visible = (element) =>
    Element.prototype.checkVisibility.call(element, { opacityProperty: true, visibilityProperty: true });

  /** @param {string} selector @returns {Element[]} */
  const seen = (selector) => [...query(document, selector)].slice(0, LOOKED_AT).filter(visible);

  // What is hidden from those who cannot see has no role.
  /** @param {Element} element */
  const isHeading = (element) => !Element.prototype.closest.call(element, "[aria-hidden=true]");

  const headings = () => {
    const shown = seen("h1, h2").filter(isHeading).map((element) => ({
      role: "heading",
      text: shownText(element, TEXT_CHARS),
      selector: tagOf(element),
    }));
    // Two elements with the same text cannot be distinguished later.
    return shown.filter(({ text }) => text && shown.filter((other) => other.text === text).length === 1);
  };

  const marked = () =>
    seen(TEST_IDS.map((/** @type {string} */ name) => `[${name}]`).join(", ")).flatMap((element) => {
      const name = TEST_IDS.find((/** @type {string} */ name) => attribute(element, name));
      const value = name && attribute(element, name);
      const selector = `[${name}="${CSS.escape(value ?? "")}"]`;
      if (!value || query(document, selector).length !== 1) return [];
      return [{ role: "test_id", text: shownText(element, TEXT_CHARS), selector, attribute: name, value }];
    });

  const shown = () => {
    const elements = headings().slice(0, ELEMENTS);
    return elements.length < ELEMENTS ? [...elements, ...marked().slice(0, ELEMENTS - elements.length)] : elements;
  };

  /** @param {"load" | "history"} trigger @param {number} delay */
  const lookLater = (trigger, delay) => {
    // Only the last requested snapshot is taken.
    const mine = ++turn;
    const look = () => {
      if (mine !== turn) return;
      world.gasolineSend({ kind: "dom_snapshot", ts: Date.now(), url: location.href, trigger, elements: shown() });
      if (trigger === "load") outlineLater(mine, LOOKS, "");
    };
    world.scheduler.postTask(look, { delay }).catch(() => {});
  };

  // A page that is still loading its data, or that somebody has acted in, is not outlined.
  /** @param {number} mine @param {number} looks @param {string} before */
  const outlineLater = (mine, looks, before) => {
    const look = () => {
      if (mine !== turn || acted || !looks) return;
      const outline = world.gasolineOutlinePage();
      const now = JSON.stringify(outline);
      if (!outline || now !== before) return outlineLater(mine, looks - 1, now);
      const snapshot = { kind: "dom_snapshot", ts: Date.now(), url: location.href, trigger: "load", elements: shown() };
      world.gasolineSend({ ...snapshot, outline });
    };
    world.scheduler.postTask(look, { delay: REST_MS, priority: "background" }).catch(() => {});
  };

  const options = { capture: true, passive: true };
  for (const type of ["pointerdown", "keydown"]) addEventListener(type, (event) => (acted ||= event.isTrusted), options);
  if (getter(Document.prototype, "readyState")(document) === "complete") lookLater("load", LOAD_MS);
  const loaded = (/** @type {Event} */ event) => event.isTrusted && event.target === document;
  addEventListener("load", (event) => loaded(event) && lookLater("load", LOAD_MS), options);
  addEventListener("pageshow", (event) => event.persisted && lookLater("load", LOAD_MS), options);
  world.navigation?.addEventListener("currententrychange", () => {
    if (location.href === address) return;
    address = location.href;
    lookLater("history", HISTORY_MS);
  });
})
