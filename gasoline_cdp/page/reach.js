// @ts-check
// Which element a pointer or a key would reach, and what to call it. Installed in our own world before the scripts that
// use it (`globalThis.gasolineReach`). Needs `gasolineDom`. Reads only.
(function installReach() {
  /** @type {any} */
  const world = globalThis;
  if (!Object.hasOwn(world, "gasolineDom")) return "missing";
  const { getter, isField, parentOf, readText, selectorsOf, tagOf } = world.gasolineDom;
  const hostOf = getter(ShadowRoot.prototype, "host");
  const slotOf = getter(Element.prototype, "assignedSlot");
  const activeOf = getter(Document.prototype, "activeElement");
  const activeInOf = getter(ShadowRoot.prototype, "activeElement");
  const controlOf = getter(HTMLLabelElement.prototype, "control");
  const editableOf = getter(HTMLElement.prototype, "isContentEditable");
  const anchorOf = getter(Selection.prototype, "anchorNode");
  const isConnected = getter(Node.prototype, "isConnected");
  const NAME_CHARS = 30;
  const PRESSED = "button, a, summary, [role=button], [role=link]";

  /** @param {Node} node @returns {Node} */
  const rootOf = (node) => Node.prototype.getRootNode.call(node);

  // From the document down to the root that the element is in: a closed one, too.
  /** @param {Element} element */
  const rootsAround = (element) => {
    const roots = [rootOf(element)];
    while (roots[0] instanceof ShadowRoot) roots.unshift(rootOf(hostOf(roots[0])));
    return roots;
  };

  /** @param {Node | null} node @returns {Node | null} */
  const outer = (node) =>
    node instanceof ShadowRoot ? hostOf(node) : (node instanceof Element && slotOf(node)) || parentOf(node);

  // Whether a node is the element, or drawn inside it.
  /** @param {Node | null} node @param {Element} element */
  const isInside = (node, element) => {
    for (let one = node; one; one = outer(one)) if (one === element) return true;
    return Node.prototype.contains.call(element, node);
  };

  // Whether a node is in a label of the element: a press there is a press on the element.
  /** @param {Node | null} node @param {Element} element */
  const isLabelOf = (node, element) => {
    for (let one = node; one; one = outer(one)) {
      if (one instanceof HTMLLabelElement) return controlOf(one) === element;
    }
    return false;
  };

  /** @param {Node} root @param {number} x @param {number} y @returns {Element | null} */
  const within = (root, x, y) =>
    (root instanceof ShadowRoot ? ShadowRoot : Document).prototype.elementFromPoint.call(root, x, y);

  // The element that a pointer reaches there, as seen from the roots around another.
  /** @param {Element} element @param {number} x @param {number} y */
  const hitAt = (element, x, y) => {
    /** @type {Element | null} */
    let hit = null;
    if (!isConnected(element)) return null;
    for (const root of rootsAround(element)) {
      const inner = within(root, x, y);
      if (!inner) break;
      hit = inner;
      if (rootOf(inner) !== root) break;
    }
    return hit;
  };

  // The button or link that something is a part of, such as an icon that takes no pointer itself: a press on one part is
  // a press on it. A field inside a button has presses of its own.
  /** @param {Element} element @returns {Element | null} */
  const controlOfPart = (element) => {
    for (let node = /** @type {Node | null} */ (element); node; node = outer(node)) {
      if (!(node instanceof Element)) continue;
      if (isField(node)) return null;
      if (Element.prototype.matches.call(node, PRESSED)) return node;
    }
    return null;
  };

  /** @param {Element} element @param {number} x @param {number} y */
  const receives = (element, x, y) => {
    const hit = hitAt(element, x, y);
    if (hit === null) return false;
    if (isInside(hit, element) || isLabelOf(hit, element)) return true;
    const control = controlOfPart(element);
    return control !== null && control === controlOfPart(hit);
  };

  // The editor that an element is only a part of, such as a paragraph: the editor has the focus, never its parts.
  /** @param {Element} element */
  const editorAround = (element) => {
    /** @type {Element | null} */
    let editor = null;
    for (let one = outer(element); one instanceof HTMLElement && editableOf(one); one = outer(one)) editor = one;
    return element instanceof HTMLElement && editableOf(element) ? editor : null;
  };

  // Whether keys go to the element or into it.
  /** @param {Element} element */
  const hasFocus = (element) => {
    if (!isConnected(element)) return false;
    const editor = editorAround(element);
    return rootsAround(element).some((root) => {
      const active = root instanceof ShadowRoot ? activeInOf(root) : activeOf(root);
      if (active === editor && editor) return isInside(anchorOf(Document.prototype.getSelection.call(document)), element);
      return active !== null && isInside(active, element);
    });
  };

  // A selector that a reader can use, and a short text. Nothing that somebody typed.
  /** @param {Node | null} node */
  const nameOf = (node) => {
    const element = node instanceof Element ? node : node && parentOf(node);
    if (!(element instanceof Element)) return "nothing";
    const { test_id: test, id, css } = selectorsOf(element);
    const unique = id ? `#${CSS.escape(id)}` : test ? `[${test.attribute}="${test.value}"]` : css;
    const text = readText(element, NAME_CHARS);
    return { selector: unique || tagOf(element), text: isField(element) ? "" : text };
  };

  Reflect.set(world, "gasolineReach", { editorAround, hasFocus, hitAt, isInside, isLabelOf, nameOf, outer, receives });
  return "";
})
