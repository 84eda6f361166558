// @ts-check
// The details of a metric as plain data: elements by a short path, phases, shifts, scripts. Installed in our own world
// for the observer that follows (`globalThis.gasolineVitals`), after the selectors. Reads only.
(function installVitalDetails() {
  const LEVELS = 5;
  const NAME_CHARS = 100;
  const SIBLINGS = 200;
  const SHIFTS = 5;

  const { getter, tagOf, parentOf } = Reflect.get(globalThis, "gasolineDom");
  const idOf = getter(Element.prototype, "id");
  const childrenOf = getter(Element.prototype, "children");

  /** @param {unknown} node @returns {Element | null} */
  const elementOf = (node) => {
    const element = node instanceof Node && !(node instanceof Element) ? parentOf(node) : node;
    return element instanceof Element ? element : null;
  };

  // One level of a path: the tag, and its index among siblings with the same tag.
  /** @param {Element} element */
  const levelOf = (element) => {
    const tag = tagOf(element);
    const parent = elementOf(parentOf(element));
    /** @type {Element[]} */
    const siblings = parent ? [...childrenOf(parent)].slice(0, SIBLINGS) : [];
    const alike = siblings.filter((other) => tagOf(other) === tag);
    const index = alike.length > 1 ? alike.indexOf(element) + 1 : 0;
    return CSS.escape(tag.slice(0, NAME_CHARS)) + (index ? `:nth-of-type(${index})` : "");
  };

  // A short path for a reader, starting at the nearest id. It need not be unique.
  /** @param {unknown} node */
  const pathOf = (node) => {
    const levels = [];
    for (let element = elementOf(node); element && levels.length < LEVELS; element = elementOf(parentOf(element))) {
      const id = idOf(element);
      levels.unshift(id ? `#${CSS.escape(id.slice(0, NAME_CHARS))}` : levelOf(element));
      if (id) break;
    }
    return levels.join(" > ");
  };

  /** @param {unknown} node @returns {{ target?: string, tag?: string }} */
  const nameOf = (node) => (elementOf(node) ? { target: pathOf(node), tag: tagOf(elementOf(node)) } : {});

  /** @param {any[]} entries */
  const shiftsOf = (entries) =>
    [...entries]
      .sort((one, other) => other.value - one.value)
      .slice(0, SHIFTS)
      .map(({ value, startTime, sources }) => ({
        value,
        time: startTime,
        elements: [...(sources || [])].map((source) => nameOf(source.node)).filter(({ target }) => target),
      }));

  /** @param {any} script */
  const scriptOf = ({ startTime, duration, sourceURL, sourceFunctionName, invoker }) => ({
    start: startTime,
    duration,
    url: sourceURL,
    function: sourceFunctionName,
    invoker,
  });

  /** @type {Record<string, (metric: any) => object>} */
  const explain = {
    FCP: ({ attribution }) => ({
      phases: { time_to_first_byte: attribution.timeToFirstByte, render_delay: attribution.firstByteToFCP },
    }),
    LCP: ({ attribution }) => ({
      target: attribution.target,
      tag: nameOf(attribution.lcpEntry?.element).tag,
      url: attribution.url,
      phases: {
        time_to_first_byte: attribution.timeToFirstByte,
        resource_load_delay: attribution.resourceLoadDelay,
        resource_load_duration: attribution.resourceLoadDuration,
        element_render_delay: attribution.elementRenderDelay,
      },
    }),
    // The element that moved most was named when it moved; the others are named now, if they still exist.
    CLS: ({ attribution, entries }) => ({ target: attribution.largestShiftTarget, shifts: shiftsOf(entries) }),
    INP: ({ attribution, entries }) => ({
      target: attribution.interactionTarget,
      tag: nameOf(entries.find((/** @type {any} */ entry) => entry.target)?.target).tag,
      interaction: attribution.interactionType,
      time: attribution.interactionTime,
      phases: {
        input_delay: attribution.inputDelay,
        processing_duration: attribution.processingDuration,
        presentation_delay: attribution.presentationDelay,
      },
      script: attribution.longestScript && scriptOf(attribution.longestScript.entry),
    }),
    TTFB: ({ attribution }) => ({
      phases: {
        waiting_duration: attribution.waitingDuration,
        cache_duration: attribution.cacheDuration,
        dns_duration: attribution.dnsDuration,
        connection_duration: attribution.connectionDuration,
        request_duration: attribution.requestDuration,
      },
    }),
  };

  // An interaction that the browser timed, in the format of web-vitals.
  /** @param {any} entry */
  const interactionOf = ({ target, duration, startTime, processingStart, processingEnd }) => ({
    value: duration,
    ...nameOf(target),
    time: startTime,
    phases: {
      input_delay: processingStart - startTime,
      processing_duration: processingEnd - processingStart,
      presentation_delay: Math.max(0, startTime + duration - processingEnd),
    },
  });

  // The paints of a route change. The browser measures them if a click or a key led to it.
  /** @param {any} entry */
  const paintsOf = (entry) => {
    const largest = entry.getLargestInteractionContentfulPaint?.()?.largestContentfulPaint;
    const since = (/** @type {number} */ time) => Math.max(0, time - entry.startTime);
    return {
      FCP: { value: since(entry.presentationTime || entry.paintTime) },
      ...(largest && { LCP: { value: since(largest.startTime), ...nameOf(largest.element), url: largest.url } }),
    };
  };

  const details = { explain, interactionOf, nameOf, paintsOf, pathOf, scriptOf, shiftsOf };
  Reflect.set(globalThis, "gasolineVitals", details);
  return details;
})
