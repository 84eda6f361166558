// @ts-check
// Observes how the page in a tab loads, shifts and responds. The metrics are those of web-vitals, which runs before
// this in our own world (`globalThis.webVitals`). Added here: long tasks, route changes within the document, and a
// summary of each navigation once it has settled. Reads only.
//
// A chapter is one navigation: the load of the document, its return from the back/forward cache, or a route change.
(function observeVitals(/** @type {number} */ settleMs) {
  const EVERY_MS = 250;
  const LONG_TASK_MS = 50;
  const LONG_TASKS = 50;
  const SCRIPT_MS = 5;
  const SCRIPTS = 200;
  const INTERACTION_MS = 40;
  const INTERACTIONS = 10;
  const LEAVING_MS = 500;

  /**
   * @typedef {{ start: number, duration: number }} Task
   * @typedef {{
   *   id: string, soft: boolean, type: string, url: string, start: number, hidden: boolean, settled: boolean,
   *   metrics: Record<string, any>, count: number, blocking: number, longest: number, tasks: Task[],
   *   session: { value: number, entries: any[] }, interactions: Map<number, any>, interactionsBefore: number,
   *   recognised: any, parting: any,
   * }} Chapter
   */

  if (!/^(?:https?|file):$/.test(location.protocol)) return;
  const webVitals = Reflect.get(globalThis, "webVitals");
  // A page's images can shadow the properties of its document.
  const { getter } = Reflect.get(globalThis, "gasolineDom");
  const readyState = () => getter(Document.prototype, "readyState")(document);
  const visibility = () => getter(Document.prototype, "visibilityState")(document);
  const prerendering = () => getter(Document.prototype, "prerendering")(document);
  const { explain, interactionOf, nameOf, paintsOf, pathOf, scriptOf, shiftsOf } = Reflect.get(globalThis, "gasolineVitals");
  /** @type {(report: Record<string, unknown>) => void} */
  const send = Reflect.get(globalThis, "gasolineSend");

  // What the page does to its own document may break our code. That must not show as an error of the page.
  /** @template {any[]} A @template R @param {(...args: A) => R} act @returns {(...args: A) => R | undefined} */
  const quietly =
    (act) =>
    (...args) => {
      try {
        return act(...args);
      } catch {
        return undefined;
      }
    };

  const address = () => location.href.split("#", 1)[0];
  const interactionCount = () => Reflect.get(performance, "interactionCount") || 0;

  // --- chapters ---

  const documentId = `${Math.round(performance.timeOrigin)}-${Math.random().toString(36).slice(2, 10)}`;
  let chapters = 0;

  /** @param {string} type @param {number} start @returns {Chapter} */
  const begin = (type, start) => ({
    id: `${documentId}.${++chapters}`,
    soft: type === "soft-navigation",
    type,
    url: address(),
    start,
    hidden: visibility() === "hidden" && !prerendering(),
    settled: false,
    metrics: {},
    count: 0,
    blocking: 0,
    longest: 0,
    tasks: [],
    session: { value: 0, entries: [] },
    interactions: new Map(),
    interactionsBefore: interactionCount(),
    recognised: null,
    parting: null,
  });

  /** @returns {any} */
  const navigationEntry = () => performance.getEntriesByType("navigation")[0];
  let load = begin((navigationEntry()?.type || "navigate").replace("_", "-"), 0);
  // As requested: an application may change its address at once.
  const documentUrl = load.url;
  /** @type {Chapter | null} */
  let route = null;

  // Same rule as web-vitals: the longest interaction, skipping one for every fifty.
  /** @param {Chapter} chapter */
  const slowestOf = ({ interactions, interactionsBefore }) => {
    const entries = [...interactions.values()].sort((one, other) => other.duration - one.duration);
    return entries[Math.min(entries.length - 1, Math.floor((interactionCount() - interactionsBefore) / 50))];
  };

  // The frame of an interaction may be reported after it, too late for web-vitals to name its script.
  /** @param {any} interaction */
  const withScript = (interaction) => ({
    ...interaction,
    script: interaction.script || scriptDuring({ start: interaction.time, duration: interaction.value }),
  });

  /** @param {Chapter} chapter */
  const metricsOf = (chapter) => {
    if (!chapter.soft) {
      const metrics = Object.fromEntries(
        Object.entries(chapter.metrics).map(([name, metric]) => [name, { value: metric.value, ...explain[name](metric) }]),
      );
      const { parting } = chapter;
      if (parting && !(metrics.INP?.value >= parting.value)) return { ...metrics, INP: parting };
      return metrics.INP ? { ...metrics, INP: withScript(metrics.INP) } : metrics;
    }
    const { value, entries } = chapter.metrics.CLS;
    const slowest = slowestOf(chapter);
    return {
      CLS: { value, shifts: shiftsOf(entries) },
      ...(chapter.recognised && paintsOf(chapter.recognised)),
      ...(slowest && { INP: withScript(interactionOf(slowest)) }),
    };
  };

  /** @param {Chapter} chapter */
  const tasksOf = ({ count, blocking, longest }) => ({ count, total_blocking_time: blocking, longest });

  // --- reporting ---

  /** @type {Set<Chapter>} */
  const dirty = new Set();
  let timer = 0;
  let reportedAt = -Infinity;

  const tell = quietly(() => {
    clearTimeout(timer);
    timer = 0;
    reportedAt = performance.now();
    const waiting = [...dirty];
    dirty.clear();
    for (const chapter of waiting) {
      const { id, soft, type, url, hidden } = chapter;
      const message = { page: id, soft, type, url, hidden, metrics: metricsOf(chapter), long_tasks: tasksOf(chapter) };
      // What a summary needs if the page is left before it settles: by then it cannot report any more.
      const unsettled = soft || chapter.settled ? {} : { document: documentUrl, timing: timingOf() };
      send({ kind: "vitals", ...message, ...unsettled });
    }
  });

  // The page is being left or hidden: it may not run another timer, and web-vitals reports its last metrics now, to
  // listeners added after ours.
  let leaving = false;
  const leave = () => {
    leaving = true;
    // If there is time for that, the page lives on.
    setTimeout(() => (leaving = false), LEAVING_MS);
    tell();
  };

  // Otherwise never at once: after a return from the back/forward cache Chrome names the new navigation only after
  // `pageshow`.
  /** @param {Chapter} chapter */
  const changed = (chapter) => {
    dirty.add(chapter);
    if (leaving) queueMicrotask(() => dirty.size && tell());
    else timer ||= setTimeout(tell, Math.max(0, reportedAt + EVERY_MS - performance.now()));
  };

  const timingOf = () => {
    const entry = navigationEntry();
    const since = (/** @type {number} */ time) => (time > 0 ? Math.max(0, time - (entry.activationStart || 0)) : null);
    return entry
      ? {
          dom_interactive: since(entry.domInteractive),
          dom_content_loaded: since(entry.domContentLoadedEventEnd),
          load: since(entry.loadEventEnd),
        }
      : {};
  };

  /** @type {any[]} */
  const scripts = [];

  // The script that ran longest during a task or an interaction.
  /** @param {Task} task @returns {any} */
  const scriptDuring = (task) => {
    const overlap = (/** @type {Task} */ script) =>
      Math.min(script.start + script.duration, task.start + task.duration) - Math.max(script.start, task.start);
    return scripts.filter((one) => overlap(one) > 0).sort((one, other) => overlap(other) - overlap(one))[0];
  };

  /** @param {Chapter} chapter @param {{ until?: number, left?: boolean }} [how] */
  const settle = (chapter, { until, left = false } = {}) => {
    if (chapter.settled) return;
    chapter.settled = true;
    dirty.add(chapter);
    tell();
    // Requests use wall time, and the clock may have been set since the document began.
    const zero = Date.now() - performance.now();
    const message = {
      page: chapter.id,
      soft: chapter.soft,
      left,
      url: chapter.url,
      document: documentUrl,
      since: (zero + chapter.start) / 1000,
      until: until === undefined ? null : (zero + until) / 1000,
      timing: chapter.soft ? {} : timingOf(),
      long_tasks: { ...tasksOf(chapter), entries: chapter.tasks.map((task) => ({ ...task, script: scriptDuring(task) })) },
    };
    send({ kind: "performance", ...message });
  };

  const settleLater = () => {
    const chapter = load;
    setTimeout(quietly(() => settle(chapter)), settleMs);
  };
  const whenLoaded = () => {
    if (readyState() === "complete") settleLater();
    else addEventListener("load", settleLater, { once: true });
  };
  if (prerendering()) addEventListener("prerenderingchange", whenLoaded, { once: true });
  else whenLoaded();

  // --- the document ---

  // Before web-vitals, so that its next reports belong to the new chapter. Nothing is loaded: no summary.
  addEventListener(
    "pageshow",
    (event) => {
      if (!event.persisted) return;
      load = { ...begin("back-forward-cache", event.timeStamp), hidden: false, settled: true };
      route = null;
      leaving = false;
      changed(load);
    },
    true,
  );

  /** @param {string} name */
  const measure = (name) => {
    const take = (/** @type {any} */ metric) => {
      load.type = metric.navigationType;
      load.metrics[name] = metric;
      changed(load);
    };
    const generateTarget = (/** @type {Node | null} */ node) => quietly(pathOf)(node) || "";
    webVitals[`on${name}`](take, { reportAllChanges: true, includeProcessedEventEntries: false, generateTarget });
  };
  Object.keys(explain).forEach(measure);
  // web-vitals stops looking for the largest paint as soon as the page is hidden. If we came just before that, it has
  // not been told of the paints so far: ask again.
  const hidden = quietly(() => visibility() === "hidden" && !load.metrics.LCP && measure("LCP"));
  addEventListener("visibilitychange", hidden, { capture: true, once: true });

  /** @param {string} type @param {(entry: any) => void} take @param {object} [options] */
  const observe = (type, take, options) => {
    if (!PerformanceObserver.supportedEntryTypes.includes(type)) return;
    const observer = new PerformanceObserver(quietly((list) => list.getEntries().forEach(take)));
    observer.observe({ type, buffered: true, ...options });
  };

  observe("longtask", ({ startTime, duration }) => {
    const chapter = route && startTime + duration > route.start ? route : load;
    const { tasks } = chapter;
    chapter.count += 1;
    chapter.blocking += Math.max(0, duration - LONG_TASK_MS);
    chapter.longest = Math.max(chapter.longest, duration);
    tasks.push({ start: startTime, duration });
    if (tasks.length > LONG_TASKS) {
      tasks.splice(tasks.indexOf(tasks.reduce((one, other) => (other.duration < one.duration ? other : one))), 1);
    }
    changed(chapter);
  });

  observe("long-animation-frame", (entry) => {
    scripts.push(...entry.scripts.filter((/** @type {any} */ script) => script.duration >= SCRIPT_MS).map(scriptOf));
    scripts.splice(0, scripts.length - SCRIPTS);
    const chapter = route || load;
    if (chapter.metrics.INP || chapter.interactions.size) changed(chapter);
  });

  // --- routes ---

  // Session windows as in web-vitals, for this route only.
  observe("layout-shift", (entry) => {
    if (!route || entry.hadRecentInput || entry.startTime < route.start) return;
    const { entries } = route.session;
    const [first, last] = [entries[0], entries.at(-1)];
    const goesOn = first && entry.startTime - last.startTime < 1000 && entry.startTime - first.startTime < 5000;
    route.session = goesOn
      ? { value: route.session.value + entry.value, entries: [...entries, entry] }
      : { value: entry.value, entries: [entry] };
    if (route.session.value > route.metrics.CLS.value) {
      route.metrics.CLS = route.session;
      changed(route);
    }
  });

  observe(
    "event",
    (entry) => {
      if (!route || !entry.interactionId || entry.startTime <= route.start) return;
      const { interactions } = route;
      if (interactions.get(entry.interactionId)?.duration >= entry.duration) return;
      interactions.set(entry.interactionId, entry);
      if (interactions.size > INTERACTIONS) {
        interactions.delete(
          [...interactions].reduce((one, other) => (other[1].duration < one[1].duration ? other : one))[0],
        );
      }
      changed(route);
    },
    { durationThreshold: INTERACTION_MS },
  );

  observe("soft-navigation", (entry) => {
    if (!route || route.recognised || entry.name.split("#", 1)[0] !== route.url) return;
    if (entry.startTime < load.start || entry.startTime + entry.duration < route.start) return;
    route.recognised = entry;
    // It began with the click, not with the new address.
    route.start = Math.min(route.start, entry.startTime);
    changed(route);
  });

  observe("interaction-contentful-paint", (entry) => {
    if (route?.recognised && entry.interactionId === route.recognised.interactionId) changed(route);
  });

  Reflect.get(globalThis, "navigation")?.addEventListener(
    "currententrychange",
    quietly((/** @type {any} */ event) => {
      const before = route || load;
      if (address() === before.url) return;
      if (readyState() !== "complete" || (event.navigationType === "replace" && !before.settled)) {
        // Still in transit: an application that redirects at once has shown nothing yet.
        before.url = address();
        return;
      }
      const chapter = begin("soft-navigation", performance.now());
      if (!before.soft) settle(before, { until: chapter.start });
      chapter.metrics.CLS = chapter.session;
      route = chapter;
      changed(chapter);
      // A route that was left before it settled was only passed through.
      setTimeout(quietly(() => route === chapter && settle(chapter)), settleMs);
    }),
  );

  // Nobody reports an interaction that leaves the page: its next frame belongs to another page, and a page in the
  // back/forward cache can no longer report when it is hidden. So we report it as the browser does in this case: until
  // its handlers have run, in steps of 8 ms.
  /** @type {{ start: number, end: number, target: any, kind: string } | null} */
  let pressed = null;
  const part = quietly(() => {
    if (!leaving || !pressed || route) return;
    const { start, end, target, kind } = pressed;
    // Its handlers may still be running: then at least this long.
    const value = Math.round(((end || performance.now()) - start) / 8) * 8;
    if (value <= (load.metrics.INP?.value ?? 0) || value <= (load.parting?.value ?? 0)) return;
    load.parting = { value, ...nameOf(target), time: start, interaction: kind };
    dirty.add(load);
    tell();
  });
  for (const type of ["pointerdown", "pointerup", "click", "keydown", "keyup"]) {
    addEventListener(
      type,
      quietly((/** @type {Event} */ event) => {
        if (!event.isTrusted) return;
        const kind = type.startsWith("key") ? "keyboard" : "pointer";
        const now = (pressed = { start: event.timeStamp, end: 0, target: event.composedPath()[0], kind });
        // As soon as all its handlers have run.
        const ended = () => {
          now.end = performance.now();
          part();
        };
        Reflect.get(globalThis, "scheduler")?.postTask(ended, { priority: "user-blocking" });
      }),
      { capture: true, passive: true },
    );
  }
  Reflect.get(globalThis, "navigation")?.addEventListener(
    "navigate",
    quietly((/** @type {any} */ event) => {
      if (event.destination.sameDocument || event.downloadRequest !== null) return;
      dirty.add(load);
      leave();
      part();
    }),
  );

  // A page left before it settled is summarised as it is. One that never painted was only passed through.
  addEventListener(
    "pagehide",
    quietly(() => {
      leave();
      if (readyState() === "complete" || load.metrics.FCP) settle(load, { left: true });
      if (route) settle(route, { left: true });
    }),
    true,
  );
  addEventListener("visibilitychange", () => visibility() === "hidden" && leave(), true);
  changed(load);
})
