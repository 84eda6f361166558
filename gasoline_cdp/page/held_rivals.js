// @ts-check
// Other elements that may have the same role and name as the one behind a handle: those that could have the role and
// whose text, labels or attributes contain every word of the name. The browser then decides which really do. Null if
// the element has changed, or if its name comes from where we cannot look. `written` is the name as test runners compute
// it: a style sheet that sets a text in capitals changes it for Chrome only.
(function heldRivals(
  /** @type {number} */ handle,
  /** @type {string} */ role,
  /** @type {string} */ name,
  /** @type {number} */ most,
) {
  /** @type {Record<string, string>} */
  const CARRIERS = {
    button: "button, input, summary",
    link: "a, area",
    textbox: "input, textarea, [contenteditable]",
    searchbox: "input",
    spinbutton: "input",
    slider: "input",
    checkbox: "input",
    radio: "input",
    switch: "input",
    combobox: "input, select",
    listbox: "select, datalist",
    option: "option",
    heading: "h1, h2, h3, h4, h5, h6",
    image: "img, svg, [role~=img]",
  };
  // Elements that have a role without saying so. Chrome gives some of these to others as well, such as to a link without
  // an address; test runners do not.
  /** @type {Record<string, string>} */
  const IMPLICIT = {
    button: "button, input, summary",
    link: "a[href], area[href]",
    textbox: "input, textarea",
    combobox: "input, select",
  };
  const SLOTS = 10;
  const INNER_NODES = 100;
  const SOURCES = ["aria-label", "title", "alt", "placeholder", "value", "label"];
  /** @type {any} */
  const world = globalThis;
  const element = world.gasolineHeld?.(handle);
  if (!element) return null;
  const { attribute, findRoots, labelsOf, parentOf, query, readText, squeeze, tagOf } = world.gasolineDom;
  /** @type {string[]} */
  const words = squeeze(name).toLowerCase().split(" ");
  const inside = SOURCES.map((source) => `[${source}]`).join(", ");

  // Test runners compute names, too, and set spaces between the parts of a text by other rules. A name is only certain if
  // an attribute or a label has it, or if the text reads the same with spaces where blocks meet.
  // Test runners set a space where something hidden stands within a text.
  /** @param {Element} named */
  const isPartedByHidden = (named) => {
    const walker = Document.prototype.createTreeWalker.call(document, named, NodeFilter.SHOW_ALL);
    let [text, isParted, looked] = ["", false, 0];
    for (let node = walker.nextNode(); node && looked < INNER_NODES; node = walker.nextNode(), looked++) {
      if (node instanceof Element && getComputedStyle(node).display === "none") isParted ||= /\S$/.test(text);
      else if (node instanceof Text && node.data && !isHiddenText(node)) {
        if (isParted && /^\S/.test(node.data)) return true;
        isParted = false;
        text = node.data;
      }
    }
    return false;
  };

  /** @param {Node} text */
  const isHiddenText = (text) => {
    const parent = parentOf(text);
    return parent instanceof Element && !Element.prototype.checkVisibility.call(parent);
  };

  /** @param {Element} named */
  const isSpacedAlike = (named) => {
    const given = squeeze(name).toLowerCase();
    if (!given.includes(" ")) return true;
    const sources = [...SOURCES.map((source) => attribute(named, source) ?? ""), ...labelsOf(named)];
    const texts = [readText(named, 1000, true), readText(named, 1000)].map((text) => text.toLowerCase());
    const isFromText = texts[1].replace(/\s/g, "") === given.replace(/\s/g, "");
    if (!isFromText) return true;
    return [...sources, ...texts].some((text) => squeeze(text).toLowerCase() === given) && !isPartedByHidden(named);
  };

  // Null if a style sheet changed only a part of the name.
  /** @param {Element} named */
  const asWritten = (named) => {
    const given = squeeze(name);
    const texts = [readText(named, 1000, true), readText(named, 1000), ...slotted(named), ...labelsOf(named)];
    const sources = [...SOURCES.map((source) => squeeze(attribute(named, source))), ...texts];
    if (sources.includes(given)) return name;
    const written = texts.find((text) => text.toLowerCase() === given.toLowerCase());
    if (written) return written;
    const inner = [named, ...[...query(named, "*")].slice(0, INNER_NODES)];
    return inner.some((one) => getComputedStyle(one).textTransform !== "none") ? null : name;
  };

  // What a component's user put into its slots: it is shown inside, and counts for names.
  /** @param {Element} other @returns {string[]} */
  const slotted = (other) =>
    [...query(other, "slot")].slice(0, SLOTS).flatMap((/** @type {HTMLSlotElement} */ slot) =>
      HTMLSlotElement.prototype.assignedNodes.call(slot, { flatten: true }).map((node) => {
        return node instanceof Element ? readText(node, 1000) : squeeze(node.nodeValue);
      }),
    );

  // What the pictures in the labels of a field say.
  /** @param {Element} other @returns {string[]} */
  const pictured = (other) => {
    const labels = other instanceof HTMLFormElement ? null : Reflect.get(other, "labels");
    const pictures = labels instanceof NodeList ? [...labels].flatMap((label) => [...query(label, "img[alt]")]) : [];
    return pictures.slice(0, SLOTS).map((picture) => attribute(picture, "alt") ?? "");
  };

  /** @param {Element} other */
  const mayBeCalled = (other) => {
    const named = [other, ...[...query(other, inside)].slice(0, 20)];
    const sources = named.flatMap((node) => SOURCES.map((source) => attribute(node, source) ?? ""));
    const texts = [readText(other, 1000), ...slotted(other), ...labelsOf(other), ...pictured(other), ...sources];
    const evidence = texts.join(" ").toLowerCase();
    return words.every((word) => evidence.includes(word));
  };

  const isExplicit = (attribute(element, "role") ?? "").split(/\s+/).includes(role);
  if (!isExplicit && !Element.prototype.matches.call(element, IMPLICIT[role] ?? "*")) return null;
  if (!mayBeCalled(element) || !isSpacedAlike(element)) return null;
  const written = asWritten(element);
  if (written === null) return null;
  const carriers = `${CARRIERS[role] ?? CSS.escape(tagOf(element))}, [role~="${CSS.escape(role)}"]`;
  /** @type {Element[]} */
  const rivals = [];
  for (const root of findRoots()) {
    for (const other of query(root, carriers)) {
      if (other !== element && mayBeCalled(other)) rivals.push(other);
      if (rivals.length >= most) return Object.assign(rivals, { written });
    }
  }
  return Object.assign(rivals, { written });
})
