// @ts-check
// One step of an accessibility audit in one frame. Runs in the audit's own world, with axe-core loaded:
//   begin   run the rules in this frame; in a page without frames, also finish
//   frame   return the frame element that axe named, so that Chrome can identify the frame in it
//   finish  in the top frame: join its results with those of its frames
// A page without frames takes one call. Only the short form that we show leaves the page, however large the result.
(function axeAudit(/** @type {string} */ step, /** @type {any} */ request) {
  /** @type {any} */
  const world = globalThis;
  // Plain `world.axe` may be an element of the page with that id.
  const axe = Object.hasOwn(world, "axe") ? world.axe : null;
  if (!axe?.runPartial) return { missing: true };
  const most = request.most;
  // Its warnings would appear in the page's console.
  axe.log = () => {};

  /** @param {any} options */
  const ruleOptions = (options) => ({
    // It would request cross-origin style sheets again, for a rule that is off by default.
    ...(options.tags?.includes("experimental") ? {} : { preload: { assets: ["media"] } }),
    ...(options.tags ? { runOnly: { type: "tag", values: options.tags } } : {}),
    // Only the number of passed rules is returned, unless they are requested.
    ...(options.passes ? {} : { resultTypes: ["violations", "incomplete"] }),
  });

  /** @param {any} data */
  const shortData = (data) => (data !== null && (JSON.stringify(data) ?? "").length <= most.data ? data : null);

  // Before the results of several frames are joined, a path is called `selector`.
  /** @param {any} node */
  const shortRelated = (node) => ({ target: node.target ?? node.selector, html: (node.html ?? node.source ?? "").slice(0, most.tag) });

  let relatedLeft = most.allRelated;
  /** @param {any} check */
  const shortCheck = (check) => {
    const related = (check.relatedNodes ?? []).slice(0, Math.min(most.related, relatedLeft));
    relatedLeft -= related.length;
    return {
      id: check.id,
      message: check.message.slice(0, most.text),
      data: shortData(check.data),
      related: related.map(shortRelated),
      related_more: (check.relatedNodes ?? []).length - related.length,
    };
  };

  /** @param {any} node */
  const shortNode = (node) => {
    const checks = [...node.any, ...node.all, ...node.none];
    return {
      target: node.target,
      html: node.html.slice(0, most.html),
      facts: checks.find((check) => check.gasolineFacts)?.gasolineFacts ?? null,
      any: node.any.map(shortCheck),
      all: node.all.map(shortCheck),
      none: node.none.map(shortCheck),
    };
  };

  /** @param {any} rule @param {number} nodes */
  const shortRule = (rule, nodes) => ({
    id: rule.id,
    impact: rule.impact,
    description: rule.description,
    help: rule.help,
    helpUrl: rule.helpUrl,
    tags: rule.tags,
    nodeCount: rule.nodes.length,
    nodes: rule.nodes.slice(0, nodes).map(shortNode),
  });

  // Each rule gets the same share of the kept elements. What a rule does not need goes to the next ones.
  /** @param {any[]} rules */
  const shortRules = (rules) => {
    const share = Math.floor(most.elements / Math.max(1, rules.length));
    let spare = rules.reduce((sum, rule) => sum + Math.max(0, share - rule.nodes.length), 0);
    return rules.map((rule) => {
      const more = Math.min(spare, Math.max(0, rule.nodes.length - share));
      spare -= more;
      return shortRule(rule, share + more);
    });
  };

  /** @param {any} result */
  const condense = (result) => ({
    url: result.url,
    violations: shortRules(result.violations),
    incomplete: shortRules(result.incomplete),
    passes: result.passes.map((/** @type {any} */ rule) => ({
      id: rule.id, help: rule.help, nodeCount: rule.nodes.length,
    })),
    inapplicable: result.inapplicable.length,
  });

  // --- facts for fixes that axe does not provide ----------------------------------------------------------

  // A form's fields may shadow these properties.
  /** @param {any} prototype @param {string} name */
  const getter = (prototype, name) => {
    const get = Object.getOwnPropertyDescriptor(prototype, name)?.get;
    return (/** @type {any} */ node) => get?.call(node);
  };
  const parentOf = getter(Node.prototype, "parentElement");
  const previousOf = getter(Element.prototype, "previousElementSibling");
  const nextOf = getter(Element.prototype, "nextElementSibling");
  const nameOf = getter(Element.prototype, "localName");
  /** @param {Element} element @param {string} name */
  const attribute = (element, name) => Element.prototype.getAttribute.call(element, name);
  /** @param {Element} element @returns {any} */
  const rootOf = (element) => Node.prototype.getRootNode.call(element);

  /** @type {Map<Element, string>} */
  const paths = new Map();
  /** @param {Element} element @returns {string} */
  const pathOf = (element) => {
    const known = paths.get(element);
    if (known !== undefined) return known;
    const tag = CSS.escape(nameOf(element));
    const parent = parentOf(element);
    const id = attribute(element, "id");
    let path = id ? `#${CSS.escape(id)}` : tag;
    if (parent && rootOf(element).querySelectorAll(path).length !== 1) {
      let index = 1;
      let alone = true;
      for (let at = previousOf(element); at; at = previousOf(at)) if (nameOf(at) === nameOf(element)) index += 1;
      for (let at = nextOf(element); at && alone; at = nextOf(at)) alone = nameOf(at) !== nameOf(element);
      path = `${pathOf(parent)} > ${tag}${index > 1 || !alone ? `:nth-of-type(${index})` : ""}`;
    }
    paths.set(element, path);
    return path;
  };

  /** @param {string} text */
  const rgba = (text) => {
    const colour = new axe.commons.color.Color();
    colour.parseString(text);
    return [colour.red, colour.green, colour.blue, colour.alpha];
  };

  /** @param {Element} element */
  const around = (element) => {
    /** @type {Element[]} */
    const ancestors = [];
    for (let at = /** @type {any} */ (element); at && ancestors.length < most.layers; ) {
      ancestors.push(at);
      at = at.assignedSlot instanceof Element ? at.assignedSlot : (parentOf(at) ?? rootOf(at).host);
    }
    return ancestors;
  };

  /** @param {Element} element @param {any} node */
  const contrastFacts = (element, node) => {
    const check = node.any[0];
    if (!check.data?.fgColor) return null;
    const own = getComputedStyle(element);
    const elements = around(element);
    let undecidable = parseFloat(own.webkitTextStrokeWidth) > 0 ? "the text has an outline" : "";
    let faded = false;
    const layers = elements.map((at) => {
      const style = getComputedStyle(at);
      const opacity = parseFloat(style.opacity);
      for (const [name, none] of [["filter", "none"], ["backdrop-filter", "none"], ["mix-blend-mode", "normal"]])
        if (style.getPropertyValue(/** @type {string} */ (name)) !== none)
          undecidable ||= `${name} on \`${pathOf(at)}\` changes the colours`;
      if (opacity < 1) {
        faded = true;
        if (rootOf(at) !== rootOf(element)) undecidable ||= "its shadow host has an opacity";
      }
      return { background: rgba(style.backgroundColor), opacity, path: opacity < 1 ? (at === element ? "itself" : pathOf(at)) : "" };
    });
    const behind = check.relatedNodes ?? [];
    const backgrounds = behind.map((/** @type {any} */ node) => axe.utils.shadowSelect(node.target?.at(-1) ?? node.selector));
    if (faded && !backgrounds.every((/** @type {any} */ node) => elements.includes(node)))
      undecidable ||= "another element lies behind it, and an opacity above";
    const filled = own.webkitTextFillColor;
    const color = rgba(filled || own.color);
    return {
      undecidable,
      property: filled && filled !== own.color ? "-webkit-text-fill-color" : "color",
      // Neither would stay the same on another background.
      mixed: (color[3] ?? 1) < 1 || own.textShadow !== "none",
      ...(faded && !undecidable ? { faded, color, layers: layers.reverse() } : {}),
    };
  };

  /** @type {Map<any, Element[]>} */
  const headings = new Map();
  /** @param {Element} element */
  const headingFacts = (element) => {
    const root = rootOf(element);
    if (!headings.has(root))
      headings.set(root, [...root.querySelectorAll("h1, h2, h3, h4, h5, h6, [role=heading]")].filter((heading) =>
        (attribute(heading, "role") ?? "heading") === "heading" && heading.checkVisibility({ visibilityProperty: true }) &&
        !Element.prototype.closest.call(heading, "[aria-hidden=true]")));
    const all = headings.get(root) ?? [];
    const before = all[all.indexOf(element) - 1];
    const level = before && (attribute(before, "aria-level") ?? /^h([1-6])$/.exec(nameOf(before))?.[1] ?? 2);
    return level ? { previous: Number(level) } : null;
  };

  const LANDMARKS = "main, nav, aside, section[aria-label], section[aria-labelledby], header, footer, [role=banner], " +
    "[role=complementary], [role=contentinfo], [role=form], [role=main], [role=navigation], [role=region], [role=search]";
  /** @param {Element} element */
  const outerFacts = (element) => {
    const outer = around(element).slice(1).filter((at) => Element.prototype.matches.call(at, LANDMARKS)).at(-1);
    return outer && rootOf(outer) === rootOf(element) ? { outer: pathOf(outer) } : null;
  };

  /** @param {Element} element */
  const labelFacts = (element) => ({ labelled: Element.prototype.closest.call(element, "label") !== null });

  /** By rule. @type {Record<string, ((element: any, node: any) => any) | undefined>} */
  const FACTS = {
    "color-contrast": contrastFacts,
    "color-contrast-enhanced": contrastFacts,
    "heading-order": headingFacts,
    "landmark-banner-is-top-level": outerFacts,
    "landmark-complementary-is-top-level": outerFacts,
    "landmark-contentinfo-is-top-level": outerFacts,
    "landmark-main-is-top-level": outerFacts,
    "aria-required-children": (element) => ({
      owned: axe.commons.aria.requiredOwned(attribute(element, "role")?.split(" ")[0] ?? "") ?? [],
      children: Element.prototype.querySelector.call(element, "*") !== null,
    }),
    "aria-input-field-name": labelFacts,
    "label-content-name-mismatch": (element) => ({ text: String(element.innerText ?? "").trim().slice(0, 80) }),
    "target-size": (element) => ({ display: getComputedStyle(element).display }),
  };

  // In the result of one frame, checks have an outcome. The joined result contains only those that failed.
  /** @param {any} node */
  const fails = (node) =>
    (node.any.length > 0 && node.any.every((/** @type {any} */ check) => check.result !== true)) ||
    node.all.some((/** @type {any} */ check) => check.result !== true) ||
    node.none.some((/** @type {any} */ check) => check.result !== false);

  // Stored on a check: axe passes checks on unchanged when it joins the results of several frames.
  /** @param {any[]} rules @param {(node: any) => any} targetOf */
  const addFacts = (rules, targetOf) => {
    let asked = 0;
    for (const rule of rules) {
      const ask = FACTS[rule.id];
      if (!ask) continue;
      for (const node of rule.nodes) {
        // The order of headings is known only at the end.
        if (asked >= most.elements || (rule.id !== "heading-order" && !fails(node))) continue;
        asked += 1;
        try {
          const element = axe.utils.shadowSelect(targetOf(node));
          if (element) [...node.any, ...node.all, ...node.none][0].gasolineFacts = ask(element, node);
        } catch {
          // Without its facts, a fix is less specific.
        }
      }
    }
  };

  // Steps into shadow roots and frames, in axe's format. After the first frame axe takes every step for a frame.
  /** @param {string[]} scope */
  const contextOf = (scope) => {
    if (!scope.length) return { exclude: [] };
    /** @type {any[]} */
    const frames = [[]];
    /** @type {Document | ShadowRoot} */
    let root = document;
    let inside = false;
    for (const step of scope) {
      frames.at(-1).push(step);
      /** @type {Element | null} */
      const element = inside ? null : root.querySelector(step);
      if (element?.shadowRoot) root = element.shadowRoot;
      else if (inside || element instanceof HTMLIFrameElement || element instanceof HTMLFrameElement) {
        inside = true;
        frames.push([]);
      }
    }
    const steps = frames
      .filter((group) => group.length)
      .map((group) => (group.length === 1 ? group[0] : { fromShadowDom: group }));
    return { include: [steps.length > 1 ? { fromFrames: steps } : steps[0]] };
  };

  const begin = async () => {
    const { options, top } = request;
    const context = top ? contextOf(request.scope) : request.context;
    if (options.tags) {
      const known = new Set(axe.getRules().flatMap((/** @type {any} */ rule) => rule.tags));
      const unknown = options.tags.filter((/** @type {string} */ tag) => !known.has(tag));
      if (unknown.length) return { unknown, known: [...known].sort() };
    }
    const frames = axe.utils.getFrameContexts(context, ruleOptions(options));
    // A page without frames needs no serialisable result, which costs axe as much as the audit itself.
    if (top && !frames.length) {
      const result = await axe.run(context, ruleOptions(options));
      addFacts([...result.violations, ...result.incomplete], (node) => node.target.at(-1));
      return { result: condense(result) };
    }
    // The XPath, a third of that cost, is not shown.
    axe.utils.nodeSerializer.update({
      toSpec: (/** @type {any} */ node) => {
        const { selector, source, ancestry, nodeIndexes, fromFrame } = node;
        return { selector, source, xpath: [], ancestry, nodeIndexes, fromFrame };
      },
    });
    const partial = await axe.runPartial(context, ruleOptions(options));
    addFacts(partial.results, (node) => node.node.selector);
    if (top) world.gasolinePartial = partial;
    return {
      frames: frames.map((/** @type {any} */ frame) => ({ selector: frame.frameSelector, context: frame.frameContext })),
      // As text: only the top frame reads it again.
      partial: top ? null : JSON.stringify(partial),
    };
  };

  const finish = async () => {
    const own = world.gasolinePartial;
    world.gasolinePartial = null;
    const others = request.partials.map((/** @type {string | null} */ text) => (text === null ? null : JSON.parse(text)));
    return { result: condense(await axe.finishRun([own, ...others], ruleOptions(request.options))) };
  };

  if (step === "frame") return axe.utils.shadowSelect(request.selector);
  return step === "begin" ? begin() : finish();
})
