// @ts-check
// Selectors to find an element again, each kept only if it matches exactly this element now. Installed in our own world
// before the observers that use it (`globalThis.gasolineDom`). Reads only.
// Needs `gasolineReading`.
(function installSelectors() {
  const TEST_IDS = ["data-testid", "data-test-id", "data-cy"];
  const TEXT_CHARS = 50;
  const LABEL_CHARS = 100;
  const NAME_CHARS = 200;
  const CSS_LEVELS = 5;
  const CSS_CLASSES = 2;
  const CSS_CHARS = 500;
  // More rows than this are not compared.
  const LIKE_ELEMENTS = 500;
  // An element with more inside has no plain name.
  const INNER_ELEMENTS = 10;
  const LABELLED =
    "input:not([type=hidden]), textarea, select, button, meter, output, progress, [aria-label], [aria-labelledby]";
  const CLICKABLE = "a, button, label, summary, input, select, textarea, [role], [tabindex]";
  // The state of an element, which the action itself may change.
  const STATE = new RegExp(
    "^(?:is|has|ng|v|js)-|^(?:active|selected|open(?:ed)?|closed?|focus(?:ed)?|hover(?:ed)?|disabled|enabled|" +
      "loading|loaded|visible|hidden|shown?|hide|current|checked|expanded|collapsed|pressed|touched|dirty|valid|" +
      "invalid|error)$",
    "i",
  );
  const FRAMEWORK = /^(?:sc-|css-|jsx-|jss\d|svelte-|emotion-|ember\d|radix-|headlessui-|:r|_r_|«r)/i;

  /** @type {any} */
  const world = globalThis;
  if (!Object.hasOwn(world, "gasolineReading")) return "missing";
  const {
    BUTTON_INPUTS, attribute, classesOf, findByText, findRoots, getter, idOf, isField, isUnique, parentOf, previousOf,
    query, readText, shownText, squeeze, tagOf,
  } = world.gasolineReading;

  /** @param {Element} element @returns {string[]} */
  const labelsOf = (element) => {
    const labelledBy = attribute(element, "aria-labelledby");
    if (labelledBy) {
      const root = Node.prototype.getRootNode.call(element);
      /** @type {string[]} */
      const ids = labelledBy.split(/\s+/).filter(Boolean);
      /** @type {Element[]} */
      const labels = ids.flatMap((id) => [...query(root, `#${CSS.escape(id)}`)].slice(0, 1));
      if (labels.length) return labels.map((label) => readText(label, LABEL_CHARS + 1));
    }
    const own = squeeze(attribute(element, "aria-label"));
    if (own) return [own];
    /** @type {NodeListOf<HTMLLabelElement> | null | undefined} */
    const labels = element instanceof HTMLFormElement ? null : Reflect.get(element, "labels");
    return labels instanceof NodeList ? [...labels].map((label) => readText(label, LABEL_CHARS + 1)) : [];
  };

  /** @param {Node[]} roots @param {Element} element */
  const uniqueLabel = (roots, element) => {
    const label = labelsOf(element).find((text) => text && text.length <= LABEL_CHARS);
    if (!label) return null;
    for (const root of roots) {
      for (const other of query(root, LABELLED)) {
        if (other !== element && labelsOf(other).includes(label)) return null;
      }
    }
    return label;
  };

  // Whether a part of a name looks random: letters among digits, or a capital every other letter.
  /** @param {string} part */
  const isRandom = (part) => {
    if (/\d{4,}/.test(part)) return true;
    if (part.length < 5) return false;
    if (/\d/.test(part)) return /[a-z]/i.test(part) && !/^[a-z]+\d{1,3}$/i.test(part);
    const words = part.split(/(?=[A-Z])/);
    return words.length > 2 && part.length / words.length < 3;
  };

  // Whether a build tool or a framework generated this name, so that it will differ next time.
  /** @param {string} name */
  const isGenerated = (name) => name.length > NAME_CHARS || FRAMEWORK.test(name) || name.split(/[-_]+/).some(isRandom);

  /** @param {Element} element */
  const stableId = (element) => {
    const id = idOf(element);
    return id && !isGenerated(id) ? `#${CSS.escape(id)}` : "";
  };

  // One level of a path: the tag, its stable classes, and its index if siblings look the same.
  /** @param {Element} element */
  const cssLevel = (element) => {
    /** @type {string[]} */
    const all = [...classesOf(element)];
    const classes = all
      .filter((name) => /^[\w-]+$/.test(name) && !isGenerated(name) && !STATE.test(name))
      .slice(0, CSS_CLASSES);
    const level = CSS.escape(tagOf(element)) + classes.map((name) => `.${CSS.escape(name)}`).join("");
    const parent = parentOf(element);
    if (!(parent instanceof Element) || query(parent, `:scope > ${level}`).length < 2) return level;
    let index = 1;
    for (let other = previousOf(element); other; other = previousOf(other)) {
      if (tagOf(other) === tagOf(element)) index++;
    }
    return `${level}:nth-of-type(${index})`;
  };

  // The name under which a field is sent.
  /** @param {Node[]} roots @param {Element} element */
  const namedField = (roots, element) => {
    const name = attribute(element, "name");
    const isControl = Element.prototype.matches.call(element, "input, select, textarea, button");
    if (!isControl || !name || isGenerated(name)) return null;
    const selector = `${tagOf(element)}[name="${CSS.escape(name)}"]`;
    return isUnique(roots, selector, element) ? selector : null;
  };

  // The shortest path without an index; otherwise one from a named ancestor; otherwise any.
  /** @param {Node[]} roots @param {Element} element */
  const uniqueCss = (roots, element) => {
    let path = "";
    let counted = "";
    /** @type {Node | null} */
    let current = element;
    for (let level = 0; level < CSS_LEVELS && current instanceof Element; level++) {
      const id = level ? stableId(current) : "";
      const anchored = id !== "" && isUnique(roots, id, current);
      path = (anchored ? id : cssLevel(current)) + (path && ` > ${path}`);
      if (path.length > CSS_CHARS) break;
      if (isUnique(roots, path, element)) {
        if (anchored || !path.includes(":nth-of-type(")) return path;
        counted ||= path;
      }
      if (anchored) break;
      current = parentOf(current);
    }
    return counted || null;
  };

  /** @param {Node[]} roots @param {Element} element */
  const uniqueTestId = (roots, element) => {
    for (const name of TEST_IDS) {
      const value = attribute(element, name);
      if (value && value.length <= NAME_CHARS && isUnique(roots, `[${name}="${CSS.escape(value)}"]`, element)) {
        return { attribute: name, value };
      }
    }
    return null;
  };

  /** @param {Node[]} roots @param {Element} element @param {string} name */
  const uniqueAttribute = (roots, element, name) => {
    const value = squeeze(attribute(element, name));
    if (!value || value.length > LABEL_CHARS || value !== attribute(element, name)) return null;
    return isUnique(roots, `[${name}="${CSS.escape(value)}"]`, element) ? value : null;
  };

  /** @param {Node[]} roots @param {Element} element */
  const uniqueText = (roots, element) => {
    const text = element instanceof HTMLFormElement || isField(element) ? "" : readText(element, TEXT_CHARS + 1);
    if (!text || text.length > TEXT_CHARS) return null;
    // Test runners find the smallest element with a text: of a paragraph that only holds a link, that is the link. A
    // click on what is in a button is a click on the button.
    const [found, ...others] = findByText(roots, text) ?? [];
    if (!found || others.length) return null;
    return found === element || Element.prototype.closest.call(found, CLICKABLE) === element ? text : null;
  };

  // The text of a cell of a table. For Chrome a table for layout has no cells; for test runners it has.
  /** @param {Element} element @param {string | null} text */
  const cellText = (element, text) => {
    const table = tagOf(element) === "td" && !attribute(element, "role") && Element.prototype.closest.call(element, "table");
    return table && !attribute(table, "role") && !getter(Element.prototype, "childElementCount")(element) ? text : null;
  };

  // Elements whose role is plain to see.
  const PLAIN_ROLES = [
    ["link", "a[href]:not([role]), [role=link]"],
    ["button", `button:not([role]), :is(${BUTTON_INPUTS}):not([role]), [role=button]`],
    ["tab", "[role=tab]"],
    ["menuitem", "[role=menuitem]"],
  ];
  // With these inside, a name is more than a text.
  const NAMED_OTHERWISE = "img, svg title, input, select, textarea, [aria-label], [aria-hidden], [title], style";

  // The name of an element whose name is its text or its label; empty where that is not certain.
  /** @param {Element} element */
  const plainName = (element) => {
    const label = squeeze(attribute(element, "aria-label"));
    if (attribute(element, "aria-labelledby")) return "";
    if (label) return label;
    const inner = [...query(element, "*")].slice(0, INNER_ELEMENTS + 1);
    if (inner.length > INNER_ELEMENTS || query(element, NAMED_OTHERWISE).length) return "";
    const isDrawnUpon = (/** @type {Element} */ one) =>
      ["::before", "::after"].some((part) => !["none", "normal"].includes(getComputedStyle(one, part).content));
    if ([element, ...inner].some(isDrawnUpon)) return "";
    const name = readText(element, LABEL_CHARS + 1);
    return name === readText(element, LABEL_CHARS + 1, true) ? name : "";
  };

  // Role and name where both are plain to see and no other element has them: for an element that is gone before the
  // browser could be asked, since the click left its page.
  /** @param {Node[]} roots @param {Element} element */
  const presumedRole = (roots, element) => {
    for (const [role, selector] of PLAIN_ROLES) {
      if (!Element.prototype.matches.call(element, selector)) continue;
      const name = plainName(element);
      if (!name || name.length > LABEL_CHARS || Element.prototype.closest.call(element, "[aria-hidden=true]")) return null;
      const others = roots.flatMap((root) => [...query(root, selector)]).filter((other) => other !== element);
      if (others.length > LIKE_ELEMENTS) return null;
      const isAlike = (/** @type {Element} */ other) =>
        [readText(other, LABEL_CHARS + 1), squeeze(attribute(other, "aria-label"))].includes(name) ||
        attribute(other, "aria-labelledby") !== null ||
        query(other, "img[alt]").length > 0;
      return others.some(isAlike) ? null : { role, name };
    }
    return null;
  };

  // Every selector that matches this element and no other.
  /** @param {Element} element @returns {Record<string, unknown>} */
  const selectorsOf = (element) => {
    const roots = findRoots();
    const id = stableId(element);
    const text = uniqueText(roots, element);
    const all = {
      test_id: uniqueTestId(roots, element),
      label: uniqueLabel(roots, element),
      ...Object.fromEntries(["placeholder", "alt", "title"].map((name) => [name, uniqueAttribute(roots, element, name)])),
      cell: cellText(element, text),
      text,
      id: id && isUnique(roots, id, element) ? idOf(element) : null,
      css: namedField(roots, element) ?? uniqueCss(roots, element),
      container: dom.tellingContainer?.(roots, element),
      presumed: presumedRole(roots, element),
    };
    return Object.fromEntries(Object.entries(all).filter(([, value]) => value));
  };

  /** @type {any} `tellingContainer`: see containers.js */
  const dom = {
    TEST_IDS, attribute, cssLevel, findByText, findRoots, getter, idOf, isField, labelsOf, parentOf, query, readText,
    selectorsOf, shownText, squeeze, stableId, tagOf,
  };
  Reflect.set(globalThis, "gasolineDom", dom);
  return dom;
})
