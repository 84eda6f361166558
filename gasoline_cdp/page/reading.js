// @ts-check
// Reads elements: properties, text, and the roots they are in. Installed in our own world before the observers that use
// it (`globalThis.gasolineReading`).
//
// In forms and documents, fields and images shadow properties (`<input name="id">`), so everything is read through the
// prototypes, which in this world are ours alone.
(function installReading() {
  // Visiting a node costs about 0.1 µs, reading its text 0.3 µs. In a page larger than this it would be noticeable:
  // further shadow roots are not searched, and elements are not found by text.
  const SEARCHED_ELEMENTS = 30000;
  const SEARCHED_TEXTS = 20000;
  const BUTTON_INPUTS = "input[type=button], input[type=submit], input[type=reset]";
  const UNREAD = new Set(["script", "style", "noscript", "head", "title", "textarea"]);

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

  const reading = {
    BUTTON_INPUTS, UNREAD, attribute, classesOf, findByText, findRoots, getter, idOf, isField, isUnique, parentOf,
    previousOf, query, readText, shownText, squeeze, tagOf, walk,
  };
  Reflect.set(globalThis, "gasolineReading", reading);
  return reading;
})
