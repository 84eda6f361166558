// @ts-check
// Finds what tells an element apart from others like it: the row, list item or dialog around it. Installed in our own
// world before the observers that use it (`gasolineDom.tellingContainer`). Reads only.
(function installContainers() {
  const TEXT_CHARS = 50;
  // More rows than this are not compared.
  const LIKE_ELEMENTS = 500;
  const INNER_ELEMENTS = 10;
  /** @type {any} */
  const world = globalThis;
  const { UNREAD, attribute, isField, parentOf, query, readText, squeeze, tagOf, walk } = world.gasolineReading;
  const { cssLevel } = world.gasolineDom;

  // Containers that test runners know by a role.
  const CONTAINERS = [
    ["row", "tr, [role=row]"],
    ["listitem", "li, [role=listitem]"],
    ["article", "article, [role=article]"],
    ["dialog", "dialog, [role=dialog]"],
    ["group", "fieldset, [role=group]"],
  ];

  // The container that tells this element apart from others like it: a row with a text that no other row has.
  /** @param {Node[]} roots @param {Element} element */
  const tellingContainer = (roots, element) => {
    for (const [role, selector] of CONTAINERS) {
      const parent = parentOf(element);
      const container = parent instanceof Element ? Element.prototype.closest.call(parent, selector) : null;
      if (!container) continue;
      const alike = roots.flatMap((root) => /** @type {Element[]} */ ([...query(root, selector)]));
      const others = alike.filter((other) => other !== container);
      if (others.length > LIKE_ELEMENTS) continue;
      const own = readText(element, TEXT_CHARS);
      const texts = others.map((other) => readText(other, 2000, true).toLowerCase());
      const walker = walk(container, NodeFilter.SHOW_TEXT);
      const telling = [];
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const text = squeeze(/** @type {Text} */ (node).data);
        if (!text || text.length > TEXT_CHARS || text === own || isInField(node)) continue;
        if (!texts.some((other) => other.includes(text.toLowerCase()))) telling.push(text);
      }
      // A number may soon be a part of another row's.
      const text = telling.find((text) => /\p{L}{2}/u.test(text)) ?? telling[0];
      if (text) {
        const css = cssLevel(element).replace(/:nth-of-type\(\d+\)$/, "");
        const alone = query(container, css).length === 1;
        return { role, text, ...(alone ? { css } : {}), alike: countAlike(container, element) };
      }
    }
    return null;
  };

  /** @param {Node} node */
  const isInField = (node) => {
    const parent = parentOf(node);
    return !(parent instanceof Element) || isField(parent) || UNREAD.has(tagOf(parent));
  };

  // How many elements in a container look like this one to somebody who knows its role and name.
  /** @param {Element} container @param {Element} element */
  const countAlike = (container, element) => {
    const named = (/** @type {Element} */ one) => {
      const inner = [one, ...[...query(one, "img, svg, [aria-label], [title]")].slice(0, INNER_ELEMENTS)];
      const given = inner.flatMap((part) => ["aria-label", "title", "alt"].map((name) => attribute(part, name) ?? ""));
      return [readText(one, TEXT_CHARS), ...given].join("\n");
    };
    const own = named(element);
    return [...query(container, CSS.escape(tagOf(element)))].filter((other) => named(other) === own).length;
  };

  world.gasolineDom.tellingContainer = tellingContainer;
})
