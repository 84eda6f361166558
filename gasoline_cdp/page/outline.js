// @ts-check
// Outlines what changed in a region of the page: roles, names and texts in their order, as test runners see them. Installed
// in our own world before the observers that use it (`globalThis.gasolineOutline`). Reads only.
//
// A test expects the outline to be there again, so it contains only what all who compute roles agree on. Where they may
// not, the element and the text beside it are left out: an outline need not be complete.
(function installOutline() {
  const VISITED = 600;
  const NODES = 12;
  const PAGE_NODES = 60;
  const LEVELS = 6;
  const REGION_LEVELS = 8;
  const TEXT_CHARS = 100;
  const ID_CHARS = 100;
  /** @type {any} */
  const world = globalThis;
  const { TEST_IDS, attribute, getter, idOf, parentOf, query, squeeze, stableId, tagOf } = world.gasolineDom;
  const shadowOf = getter(Element.prototype, "shadowRoot");
  // Elements that only group others, or look different.
  const PLAIN = new Set([
    "body", "div", "span", "label", "b", "i", "u", "small", "s", "abbr", "dl", "summary", "legend", "figcaption", "pre", "kbd",
    "br", "address", "hgroup",
  ]);
  /** @type {Record<string, string>} */
  const ROLES = {
    article: "article", aside: "complementary", blockquote: "blockquote", button: "button", code: "code", dd: "definition",
    details: "group", dialog: "dialog", dt: "term", em: "emphasis", fieldset: "group", figure: "figure", h1: "heading",
    h2: "heading", h3: "heading", h4: "heading", h5: "heading", h6: "heading", li: "listitem", main: "main",
    nav: "navigation", ol: "list", output: "status", p: "paragraph", strong: "strong", table: "table", tbody: "rowgroup",
    td: "cell", tfoot: "rowgroup", thead: "rowgroup", tr: "row", ul: "list",
  };
  const GIVEN = new Set([
    ...Object.values(ROLES), "alert", "alertdialog", "checkbox", "grid", "gridcell", "link", "listbox", "log", "menu",
    "menubar", "menuitem", "option", "radio", "radiogroup", "row", "search", "switch", "tab", "tablist", "tabpanel", "toolbar",
    "tree", "treeitem",
  ]);
  const NAMED_BY_CONTENT = new Set([
    "button", "cell", "gridcell", "heading", "link", "menuitem", "option", "tab", "treeitem", "checkbox", "radio", "switch",
  ]);
  // Its text is no text of the page, but it has a role of its own that ends the text beside it.
  const APART = new Set(["select", "textarea", "iframe", "hr", "svg", "progress", "meter"]);
  const TABLE_PARTS = new Set(["td", "tr", "tbody", "thead", "tfoot"]);
  const SECTIONING = "article, aside, main, nav, section";
  // Unknown: the text beside it may be longer than we see.
  const UNSURE = Symbol();
  const END = Symbol();
  const HIDDEN = Symbol();

  /**
   * @typedef {object} Outlined
   * @property {string} role
   * @property {string} [name]
   * @property {number} [level]
   * @property {boolean} [checked]
   * @property {(Outlined | string)[]} children
   */
  /** @typedef {{ text: string, changed: boolean }} Words */
  /** @typedef {Words | symbol | Outlined} Token */

  /** @param {Element} element @param {string} name */
  const has = (element, name) => Element.prototype.hasAttribute.call(element, name);

  // Its role; empty if it has none, null if that is not certain.
  /** @param {Element} element @returns {string | null} */
  const roleOf = (element) => {
    const given = squeeze(attribute(element, "role")).toLowerCase();
    if (given) return GIVEN.has(given) ? given : null;
    const tag = tagOf(element);
    const parent = parentOf(element);
    if (PLAIN.has(tag) || tag.includes("-")) return "";
    if (tag === "a") return has(element, "href") ? "link" : "";
    if (tag === "section" || tag === "form") {
      return ["aria-label", "aria-labelledby", "title"].some((name) => has(element, name)) ? null : "";
    }
    if (tag === "header" || tag === "footer") {
      const around = parent instanceof Element ? Element.prototype.closest.call(parent, `${SECTIONING}, [role]`) : null;
      if (!around) return tag === "header" ? "banner" : "contentinfo";
      return has(around, "role") ? null : "";
    }
    if (tag === "li" && (!(parent instanceof Element) || /none|presentation/.test(attribute(parent, "role") ?? ""))) return null;
    if (TABLE_PARTS.has(tag)) {
      const table = Element.prototype.closest.call(element, "table");
      if (!table || has(table, "role")) return null;
    }
    return ROLES[tag] ?? null;
  };

  /** @param {Element} element */
  const isDrawnUpon = (element) =>
    ["::before", "::after"].some((part) => !["none", "normal", '""', ""].includes(getComputedStyle(element, part).content));

  /** @param {Element} element */
  const isHidden = (element) =>
    attribute(element, "aria-hidden") === "true" ||
    /^(?:script|style|noscript|template)$/.test(tagOf(element)) ||
    !Element.prototype.checkVisibility.call(element, { visibilityProperty: true });

  /** @param {Element} element */
  const isNamed = (element) => has(element, "aria-label") || has(element, "aria-labelledby");

  /** @param {string} text @param {boolean} changed @returns {Words} */
  const words = (text, changed) => ({ text, changed });

  // For a field: what stands for it. What a person typed is not told.
  /** @param {Element} element @returns {Token | null} */
  const fieldToken = (element) => {
    if (!(element instanceof HTMLInputElement)) return null;
    if (element.type === "hidden") return words("", false);
    if (element.type === "checkbox" || element.type === "radio") {
      return { role: element.type, ...(element.checked ? { checked: true } : {}), children: [] };
    }
    if (/^(?:button|submit|reset)$/.test(element.type) && element.value && !isNamed(element)) {
      return { role: "button", name: squeeze(element.value), children: [] };
    }
    return END;
  };

  // Texts that meet are one, told if a part of it changed. Beside something unknown, a text is left out.
  /** @param {Token[]} tokens @param {boolean} [all] @returns {(Outlined | string)[]} */
  const joined = (tokens, all = false) => {
    /** @type {(Outlined | string)[]} */
    const result = [];
    let [text, isSure, isChanged] = ["", true, all];
    for (const token of [...tokens, END]) {
      if (token === HIDDEN) continue;
      if (token === UNSURE) isSure = false;
      else if (typeof token === "object" && "text" in token) {
        text += token.text;
        if (token.text.trim()) isChanged ||= token.changed;
      } else {
        const whole = squeeze(text);
        if (whole && isSure && isChanged && whole.length <= TEXT_CHARS) result.push(whole);
        [text, isSure, isChanged] = ["", true, all];
        if (typeof token === "object") result.push(token);
      }
    }
    return result;
  };

  /**
   * What has changed in a region. Elements that are `restless` change of themselves.
   *
   * @param {Element} region @param {Set<Node>} changed @param {(element: Element) => boolean} isRestless @param {number} most
   */
  const outlined = (region, changed, isRestless, most = NODES) => {
    let [visited, told] = [0, 0];
    // For test runners these stand in the element that owns them.
    const owned = new Set([...query(document, "[aria-owns]")].flatMap((owner) => (attribute(owner, "aria-owns") ?? "").split(/\s+/)));

    // Whether anything in it has changed.
    /** @param {Element} element @param {Token[]} into @param {boolean} within @param {number} depth @returns {boolean} */
    const visit = (element, into, within, depth) => {
      visited++;
      if (isHidden(element) || (idOf(element) && owned.has(idOf(element)))) {
        into.push(HIDDEN);
        return false;
      }
      const isChanged = within || changed.has(element);
      const field = fieldToken(element);
      if (field !== null) {
        into.push(typeof field === "object" && "role" in field && !isChanged ? END : field);
        return isChanged;
      }
      const tag = tagOf(element);
      if (APART.has(tag) || (tag === "img" && attribute(element, "alt"))) {
        into.push(END);
        return false;
      }
      const role = roleOf(element);
      if (role === null || depth > LEVELS || told >= most || shadowOf(element)) {
        into.push(UNSURE);
        return false;
      }
      /** @type {Token[]} */
      const tokens = isDrawnUpon(element) || isRestless(element) || has(element, "aria-owns") ? [UNSURE] : [];
      const gap = words(tag === "br" || getComputedStyle(element).display !== "inline" ? " " : "", false);
      const before = told;
      if (role) told++;
      let isTouched = isChanged;
      for (const child of element.childNodes) {
        if (visited >= VISITED) {
          // Of a page of ten thousand rows the rest is not looked at.
          tokens.push(UNSURE);
          break;
        }
        if (child instanceof Text) tokens.push(words(child.data, isChanged));
        else if (child instanceof Element) isTouched = visit(child, tokens, isChanged, depth + (role ? 1 : 0)) || isTouched;
      }
      if (!role) into.push(gap, ...tokens, gap);
      else if (isTouched) into.push(made(element, role, [gap, ...tokens, gap]));
      else {
        told = before;
        into.push(END);
      }
      return isTouched;
    };

    /** @type {Token[]} */
    const tokens = [];
    visit(region, tokens, false, 0);
    return joined(tokens);
  };

  // In a name, test runners set a space where something hidden stands.
  /** @param {Token[]} tokens */
  const isParted = (tokens) => {
    let [last, isApart] = ["", false];
    for (const token of tokens) {
      if (token === HIDDEN) isApart ||= /\S$/.test(last);
      else if (typeof token === "object" && "text" in token && token.text) {
        if (isApart && /^\S/.test(token.text)) return true;
        [last, isApart] = [token.text, false];
      }
    }
    return false;
  };

  /** @param {Element} element @param {string} role @param {Token[]} tokens @returns {Outlined} */
  const made = (element, role, tokens) => {
    /** @type {Outlined} */
    const node = { role, children: joined(tokens) };
    if (/^h\d$/.test(tagOf(element))) node.level = Number(tagOf(element)[1]);
    if (/^(?:checkbox|radio|switch)$/.test(role) && attribute(element, "aria-checked") === "true") node.checked = true;
    if (!NAMED_BY_CONTENT.has(role)) return node;
    // Its text is its name, if it contains nothing else.
    node.children = node.children.filter((child) => typeof child !== "string");
    const label = squeeze(attribute(element, "aria-label"));
    const content = joined(tokens, true);
    const isText = content.length === 1 && typeof content[0] === "string" && !tokens.includes(END) && !isParted(tokens);
    if (label && label.length <= TEXT_CHARS && !has(element, "aria-labelledby")) node.name = label;
    else if (!isNamed(element) && isText) node.name = /** @type {string} */ (content[0]);
    return node;
  };

  // The elements around all of these, the nearest first.
  /** @param {Element[]} elements @returns {Element[]} */
  const around = (elements) => {
    const [first, ...others] = elements;
    const levels = [];
    for (let level = parentOf(first); level instanceof Element && level !== document.documentElement; level = parentOf(level)) {
      if (others.every((other) => Node.prototype.contains.call(level, other))) levels.push(level);
    }
    return levels;
  };

  // How a test finds a region, if it is the only one of its kind.
  /** @param {Element} region */
  const foundBy = (region) => {
    for (const name of TEST_IDS) {
      const value = attribute(region, name);
      if (value && value.length <= ID_CHARS && query(document, `[${name}="${CSS.escape(value)}"]`).length === 1) {
        return { kind: "test_id", attribute: name, value };
      }
    }
    const tag = tagOf(region);
    if (["dialog", "main", "table"].includes(tag) && !has(region, "role") && query(document, `${tag}, [role=${tag}]`).length === 1) {
      return { kind: "role", value: tag };
    }
    const id = stableId(region);
    if (id && id === `#${idOf(region)}` && query(document, id).length === 1) return { kind: "id", value: idOf(region) };
    return region === document.body ? { kind: "body", value: "body" } : null;
  };

  /**
   * Where these elements are and what has changed there, or null if there is nothing that could be told.
   *
   * @param {Element[]} elements @param {Set<Node>} changed @param {(element: Element) => boolean} isRestless
   */
  const outline = (elements, changed, isRestless) => {
    if (!elements.length || elements.some((element) => Node.prototype.getRootNode.call(element) !== document)) return null;
    const levels = around(elements).slice(0, REGION_LEVELS);
    for (const region of [...levels, document.body]) {
      const locator = foundBy(region);
      if (!locator) continue;
      const nodes = outlined(region, changed, isRestless);
      return nodes.length ? { region: locator, nodes } : null;
    }
    return null;
  };

  // What a page shows that has loaded: its main part, or all but what stands on every page.
  const outlinePage = () => {
    const mains = query(document, "main, [role=main]");
    const region = mains.length === 1 && tagOf(mains[0]) === "main" && !has(mains[0], "role") ? mains[0] : document.body;
    if (!region) return null;
    const shown = [...region.children].filter((child) => !/^(?:header|nav|footer|aside)$/.test(tagOf(child)));
    const nodes = outlined(region, new Set(shown), () => false, PAGE_NODES);
    const locator = region === document.body ? { kind: "body", value: "body" } : { kind: "role", value: "main" };
    return nodes.length ? { region: locator, nodes } : null;
  };

  world.gasolineOutline = outline;
  world.gasolineOutlinePage = outlinePage;
})
