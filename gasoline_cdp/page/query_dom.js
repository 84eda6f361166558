// @ts-check
// Elements of this document as plain data, bounded. Needs `gasolineDom` in the same world. Reads only. The elements are
// held until the next query, so that the browser can be asked about them.
(function queryDom(/** @type {any} */ request, /** @type {Element | null | undefined} */ given) {
  /** @type {any} */
  const world = globalThis;
  if (!Object.hasOwn(world, "gasolineDom")) return { missing: true };
  const { TEST_IDS, attribute, getter, isField, parentOf, query, shownText, tagOf } = world.gasolineDom;
  const { most } = request;
  const shadowOf = getter(Element.prototype, "shadowRoot");
  const childrenOf = getter(Element.prototype, "children");
  const shadowChildrenOf = getter(DocumentFragment.prototype, "children");
  const attributesOf = getter(Element.prototype, "attributes");
  const previousOf = getter(Element.prototype, "previousElementSibling");
  const nextOf = getter(Element.prototype, "nextElementSibling");
  const bodyOf = getter(Document.prototype, "body");
  const rootOf = getter(Document.prototype, "documentElement");
  /** @type {number} */
  let parts = 0;

  /** @param {Node} root */
  const shadowsIn = (root) => {
    const shadows = [];
    const walker = Document.prototype.createTreeWalker.call(document, root, NodeFilter.SHOW_ELEMENT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const shadow = shadowOf(node);
      if (shadow) shadows.push(shadow);
    }
    return shadows;
  };

  /** @param {Node[]} roots */
  const pierced = (roots) => {
    const all = [...roots];
    if (request.pierce) for (const root of all) all.push(...shadowsIn(root));
    return all;
  };

  // A path that matches only this element in its document or shadow root, starting at the nearest named ancestor.
  /** @param {Element} element */
  const pathWithin = (element) => {
    const root = Node.prototype.getRootNode.call(element);
    const id = (/** @type {Element} */ one) => {
      const name = attribute(one, "id");
      return name && name.length <= 100 && query(root, `#${CSS.escape(name)}`).length === 1 ? `#${CSS.escape(name)}` : "";
    };
    for (const name of TEST_IDS) {
      const value = attribute(element, name);
      const selector = value && value.length <= 100 ? `[${name}="${CSS.escape(value)}"]` : "";
      if (selector && query(root, selector).length === 1) return selector;
    }
    let path = "";
    for (let node = element; node instanceof Element; node = parentOf(node)) {
      const known = id(node);
      if (known) return known + path;
      const tag = CSS.escape(tagOf(node));
      if (node === bodyOf(document) || node === rootOf(document)) return tag + path;
      let index = 1;
      for (let other = previousOf(node); other; other = previousOf(other)) {
        if (tagOf(other) === tagOf(node)) index++;
      }
      let next = index > 1 ? null : nextOf(node);
      while (next && tagOf(next) !== tagOf(node)) next = nextOf(next);
      path = ` > ${tag}${index > 1 || next ? `:nth-of-type(${index})` : ""}${path}`;
    }
    return path.slice(3);
  };

  /** @param {Element} element @returns {string} */
  const pathOf = (element) => {
    const root = Node.prototype.getRootNode.call(element);
    const own = pathWithin(element);
    return root instanceof ShadowRoot ? `${pathOf(root.host)} >>> ${own}` : own;
  };

  /** @param {Element} element */
  const describe = (element) => ({
    tag: tagOf(element),
    attributes: Object.fromEntries(
      [...attributesOf(element)]
        .slice(0, most.attributes)
        .map((one) => [one.name.slice(0, 60), one.value.slice(0, most.attributeChars)]),
    ),
    text: shownText(element, most.text),
    ...(isField(element) ? { field: true } : {}),
  });

  /** @param {Element} element @param {number} depth @returns {any} */
  const descend = (element, depth) => {
    const shadow = request.pierce ? shadowOf(element) : null;
    const inside = [...(shadow ? shadowChildrenOf(shadow) : []), ...childrenOf(element)];
    if (!inside.length) return {};
    if (depth <= 0) return { more: inside.length };
    const children = [];
    for (const child of inside) {
      if (parts >= most.children) break;
      parts++;
      children.push({ ...describe(child), ...descend(child, depth - 1) });
    }
    const left = inside.length - children.length;
    return { children, ...(left ? { more: left } : {}) };
  };

  /** @param {Element} element */
  const show = (element) => {
    parts = 0;
    const box = Element.prototype.getBoundingClientRect.call(element);
    const round = (/** @type {number} */ value) => Math.round(value * 100) / 100;
    /** @type {any} */
    const shown = {
      selector: pathOf(element),
      ...describe(element),
      boundingBox: { x: round(box.x), y: round(box.y), width: round(box.width), height: round(box.height) },
      visible: Element.prototype.checkVisibility.call(element, {
        opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: true,
      }),
    };
    if (request.styles) {
      const computed = getComputedStyle(element);
      const values = request.styles.map((/** @type {string} */ name) => [name, computed.getPropertyValue(name)]);
      shown.styles = Object.fromEntries(values.filter((/** @type {string[]} */ pair) => pair[1] !== ""));
    }
    if (request.depth > 0) {
      const { children = [], more = 0 } = descend(element, request.depth);
      shown.children = children;
      if (more) shown.more = more;
    }
    return shown;
  };

  // Follow the steps: each but the last leads into a shadow root, or into a frame, which is another document.
  const find = () => {
    if (given) return { matches: [given] };
    let roots = pierced([document]);
    const steps = [...request.steps];
    while (steps.length > 1) {
      const step = /** @type {string} */ (steps.shift());
      const owners = roots.flatMap((root) => [...query(root, step)]);
      const frame = owners.find((owner) => owner instanceof HTMLIFrameElement || owner instanceof HTMLFrameElement);
      if (frame) return { frame, rest: steps, matches: [] };
      roots = pierced(owners.map(shadowOf).filter(Boolean));
      if (!roots.length) {
        // Parse the remaining steps as well, so that a mistake in them is reported at once.
        query(document, steps[0]);
        return { matches: [], lost: step, owners: owners.length };
      }
    }
    return { matches: roots.flatMap((root) => [...query(root, steps[0])]) };
  };

  try {
    const { matches, frame, rest, lost, owners } = find();
    const shown = matches.slice(request.from, request.from + request.limit);
    world.gasolineAsked = frame ? [frame] : shown;
    return {
      url: location.href,
      title: getter(Document.prototype, "title")(document),
      matchCount: matches.length,
      elements: request.held ? [] : shown.map(show),
      selectors: request.held ? shown.map(pathOf) : [],
      ...(frame ? { into: pathOf(frame), rest } : {}),
      ...(lost ? { lost, owners } : {}),
    };
  } catch (error) {
    if (error instanceof DOMException && error.name === "SyntaxError") return { invalid: error.message };
    throw error;
  }
})
