// @ts-check
// Selectors to find an element again, each kept only if it matches exactly this element now. Installed in our own world
// before the observers that use it (`globalThis.gasolineDom`). Reads only.
//
// In forms and documents, fields and images shadow properties (`<input name="id">`), so everything is read through the
// prototypes, which in this world are ours alone.
(function installSelectors() {
  const TEST_IDS = ["data-testid", "data-test-id", "data-cy"];
  const TEXT_CHARS = 50;
  const LABEL_CHARS = 100;
  const NAME_CHARS = 200;
  const CSS_LEVELS = 5;
  const CSS_CLASSES = 2;
  const CSS_CHARS = 500;
  // Visiting a node costs about 0.1 µs, reading its text 0.3 µs. In a page larger than this it would be noticeable:
  // further shadow roots are not searched, and elements are not found by text.
  const SEARCHED_ELEMENTS = 30000;
  const SEARCHED_TEXTS = 20000;
  // More rows than this are not compared.
  const LIKE_ELEMENTS = 500;
  // An element with more inside has no plain name.
  const INNER_ELEMENTS = 10;
  const LABELLED =
    "input:not([type=hidden]), textarea, select, button, meter, output, progress, [aria-label], [aria-labelledby]";
  const BUTTON_INPUTS = "input[type=button], input[type=submit], input[type=reset]";
  const CLICKABLE = "a, button, label, summary, input, select, textarea, [role], [tabindex]";
  const UNREAD = new Set(["script", "style", "noscript", "head", "title", "textarea"]);
  // The state of an element, which the action itself may change.
  const STATE = new RegExp(
    "^(?:is|has|ng|v|js)-|^(?:active|selected|open(?:ed)?|closed?|focus(?:ed)?|hover(?:ed)?|disabled|enabled|" +
      "loading|loaded|visible|hidden|shown?|hide|current|checked|expanded|collapsed|pressed|touched|dirty|valid|" +
      "invalid|error)$",
    "i",
  );
  const FRAMEWORK = /^(?:sc-|css-|jsx-|jss\d|svelte-|emotion-|ember\d|radix-|headlessui-|:r|_r_|«r)/i;

  /** @param {any} prototype @param {string} name @returns {(node: any) => any} */
  const getter = (prototype, name) => {
    const get = Object.getOwnPropertyDescriptor(prototype, name)?.get;
    return (node) => get?.call(node);
  };
  const idOf = getter(Element.prototype, "id");
  const tagOf = getter(Element.prototype, "localName");
  const classesOf = getter(Element.prototype, "classList");
  const previousOf = getter(Element.prototype, "previousElementSibling");
  const shadowOf = getter(Element.prototype, "shadowRoot");
  const parentOf = getter(Node.prototype, "parentNode");

  /** @param {Element} element @param {string} name @returns {string | null} */
  const attribute = (element, name) => Element.prototype.getAttribute.call(element, name);

  /** @param {string | null | undefined} text */
  const squeeze = (text) => (text || "").replace(/\s+/g, " ").trim();

  /** @param {Node} root @param {string} selector @returns {NodeListOf<Element>} */
  const query = (root, selector) => {
    const kind = [Document, Element].find((kind) => root instanceof kind) || DocumentFragment;
    return kind.prototype.querySelectorAll.call(root, selector);
  };

  /** @param {Node} root @param {number} show */
  const walk = (root, show) => Document.prototype.createTreeWalker.call(document, root, show);

  // The document and every open shadow root in it: where test runners look as well.
  const findRoots = () => {
    /** @type {Node[]} */
    const roots = [document];
    let looked = 0;
    for (const root of roots) {
      const walker = walk(root, NodeFilter.SHOW_ELEMENT);
      for (let node = walker.nextNode(); node && looked < SEARCHED_ELEMENTS; node = walker.nextNode(), looked++) {
        const shadow = shadowOf(node);
        if (shadow) roots.push(shadow);
      }
    }
    return roots;
  };

  /** @param {Node[]} roots @param {string} selector @param {Element} element */
  const isUnique = (roots, selector, element) => {
    let count = 0;
    for (const root of roots) {
      const matches = query(root, selector);
      count += matches.length;
      if (count > 1 || (matches.length && matches[0] !== element)) return false;
    }
    return count === 1;
  };

  /** @param {Element} element */
  const isButtonInput = (element) => Element.prototype.matches.call(element, BUTTON_INPUTS);

  // Whether a user typed or chose an element's content: then it is its value, and never reported as its text.
  /** @param {Element} element */
  const isField = (element) =>
    (element instanceof HTMLInputElement && !isButtonInput(element)) ||
    element instanceof HTMLTextAreaElement ||
    element instanceof HTMLSelectElement ||
    (element instanceof HTMLElement && getter(HTMLElement.prototype, "isContentEditable")(element));

  /** @param {Node | null} node */
  const isInline = (node) => node instanceof Element && getComputedStyle(node).display.startsWith("inline");

  // Whether a reader sees a gap between two adjacent texts: they are in different blocks or cells.
  /** @param {Node} before @param {Node} after */
  const areApart = (before, after) => {
    const [left, right] = [parentOf(before), parentOf(after)];
    if (left === right) return false;
    if (isInline(left)) return !isInline(right) && parentOf(left) !== right;
    return !isInline(right) || parentOf(right) !== left;
  };

  // The first text of an element up to a length, without hidden text. A large element costs no more.
  /** @param {Element} element @param {number} limit @param {boolean} [gaps] */
  const readText = (element, limit, gaps) => {
    if (element instanceof HTMLInputElement) {
      return isButtonInput(element) ? squeeze(element.value).slice(0, limit) : "";
    }
    const walker = walk(element, NodeFilter.SHOW_TEXT);
    let text = "";
    let last = null;
    for (let node = walker.nextNode(); node && text.length <= limit; node = walker.nextNode()) {
      const parent = parentOf(node);
      if (parent instanceof Element && UNREAD.has(tagOf(parent))) continue;
      const gap = gaps && last && areApart(last, node) ? " " : "";
      // Collapse indentation while reading, so that the length counts visible text.
      text = (text + gap + /** @type {Text} */ (node).data).replace(/\s+/g, " ").trimStart();
      last = node;
    }
    return text.trimEnd().slice(0, limit);
  };

  // The visible text of an element, without anything typed into it. Texts of different blocks are separated: joined,
  // they would form another word, and a secret would no longer match its format.
  /** @param {Element} element @param {number} limit */
  const shownText = (element, limit) => (isField(element) ? "" : readText(element, limit, true));

  // The smallest elements with exactly this text, up to the second; null if there is too much to search.
  /** @param {Node[]} roots @param {string} text */
  const findByText = (roots, text) => {
    /** @type {Set<Element>} */
    const elements = new Set();
    let looked = 0;
    for (const root of roots) {
      const walker = walk(root, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node && elements.size < 2; node = walker.nextNode()) {
        if (++looked > SEARCHED_TEXTS) return null;
        // Most texts start with another letter, or have nothing to collapse, and cost no more than this.
        const raw = /** @type {Text} */ (node).data.trim();
        if (!raw || raw[0] !== text[0] || !text.startsWith(/\s\s|[^\S ]/.test(raw) ? squeeze(raw) : raw)) continue;
        for (let parent = parentOf(node); parent instanceof Element; parent = parentOf(parent)) {
          if (UNREAD.has(tagOf(parent))) break;
          const whole = readText(parent, text.length + 1);
          if (whole === text) elements.add(parent);
          if (whole === text || !text.startsWith(whole)) break;
        }
      }
      for (const button of query(root, BUTTON_INPUTS)) {
        if (readText(button, text.length + 1) === text) elements.add(button);
      }
    }
    return elements;
  };

  /** @param {Element} element @returns {string[]} */
  const labelsOf = (element) => {
    const labelledBy = attribute(element, "aria-labelledby");
    if (labelledBy) {
      const root = Node.prototype.getRootNode.call(element);
      const ids = labelledBy.split(/\s+/).filter(Boolean);
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
    TEST_IDS, UNREAD, cssLevel, walk, attribute, findByText, findRoots, getter, idOf, isField, labelsOf, parentOf, query, readText, selectorsOf,
    shownText, squeeze, stableId, tagOf,
  };
  Reflect.set(globalThis, "gasolineDom", dom);
  return dom;
})
