// @ts-check
// One step of an accessibility audit in one frame, in the audit's own world, where axe-core has been loaded:
//   begin   run the rules on this frame; in a page without frames also the end
//   frame   the frame element that axe named, for Chrome to say which frame is inside
//   finish  in the top frame: join its results with those of the frames inside
// Pages without frames take one call; the results of a large page never leave it but in the few words we show.
(function axeAudit(/** @type {string} */ step, /** @type {any} */ request) {
  /** @type {any} */
  const world = globalThis;
  // By itself `world.axe` may be an element of the page with that id.
  const axe = Object.hasOwn(world, "axe") ? world.axe : null;
  if (!axe?.runPartial) return { missing: true };
  const most = request.most;
  // Its own warnings would appear in the page's console.
  axe.log = () => {};

  /** @param {any} options */
  const ruleOptions = (options) => ({
    // Style sheets of other origins would be requested again, for a rule that is off unless it is asked for.
    ...(options.tags?.includes("experimental") ? {} : { preload: { assets: ["media"] } }),
    ...(options.tags ? { runOnly: { type: "tag", values: options.tags } } : {}),
    // Of what passed, only the number of rules is told, unless it is asked for.
    ...(options.passes ? {} : { resultTypes: ["violations", "incomplete"] }),
  });

  /** @param {any} check */
  const shortCheck = (check) => ({ id: check.id, message: check.message.slice(0, most.text), data: colours(check.data) });

  // Of what a check measured, only what a repair is computed from.
  /** @param {any} data */
  const colours = (data) =>
    data?.fgColor
      ? {
          fgColor: data.fgColor, bgColor: data.bgColor, contrastRatio: data.contrastRatio,
          expectedContrastRatio: data.expectedContrastRatio, messageKey: data.messageKey,
        }
      : null;

  /** @param {any} node */
  const shortNode = (node) => ({
    target: node.target,
    html: node.html.slice(0, most.html),
    any: node.any.map(shortCheck),
    all: node.all.map(shortCheck),
    none: node.none.map(shortCheck),
  });

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

  /** @param {any} result */
  const condense = (result) => {
    return {
      url: result.url,
      violations: result.violations.map((/** @type {any} */ rule) => shortRule(rule, most.nodes)),
      incomplete: result.incomplete.map((/** @type {any} */ rule) => shortRule(rule, most.incomplete)),
      passes: result.passes.map((/** @type {any} */ rule) => ({
        id: rule.id, help: rule.help, nodeCount: rule.nodes.length,
      })),
      inapplicable: result.inapplicable.length,
    };
  };

  // Steps into shadow roots and frames, in axe's words. Beyond the first frame every step is taken for a frame's.
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
      const found = inside ? null : root.querySelector(step);
      if (found?.shadowRoot) root = found.shadowRoot;
      else if (inside || found instanceof HTMLIFrameElement || found instanceof HTMLFrameElement) {
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
    // Alone it need not be able to travel, which costs axe as much as the audit itself.
    if (top && !frames.length) return { result: condense(await axe.run(context, ruleOptions(options))) };
    // A path by XPath, a third of that cost, is shown by nobody.
    axe.utils.nodeSerializer.update({
      toSpec: (/** @type {any} */ node) => {
        const { selector, source, ancestry, nodeIndexes, fromFrame } = node;
        return { selector, source, xpath: [], ancestry, nodeIndexes, fromFrame };
      },
    });
    const partial = await axe.runPartial(context, ruleOptions(options));
    if (top) world.gasolinePartial = partial;
    return {
      frames: frames.map((/** @type {any} */ frame) => ({ selector: frame.frameSelector, context: frame.frameContext })),
      // As text: it is read here again, by the top frame, and by nobody in between.
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
