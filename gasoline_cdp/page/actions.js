// @ts-check
// Reports what a user does in a page: each action, with the selectors that find its element again.
//
// Runs in our own world of each document, before the page's first script. The listeners are on the window, in the
// capture phase and passive: they run first and cannot delay anything. The page sees nothing of them, not even the
// number of a timer (`setTimeout` counts across all worlds, and a page that clears all its timers would clear ours).
// Only trusted events count (`isTrusted`): a script's own click is no user action.
(function observeActions() {
  const KEYS = new Set([
    "Enter", "Escape", "Tab", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Backspace", "Delete",
  ]);
  const SCROLL_KEYS = new Set([
    "PageUp", "PageDown", "Home", "End", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", " ",
  ]);
  // The values of such fields never leave the page. Same rule as `is_secret_name`; the reader of the reports also masks
  // by all other names that it knows.
  const SECRET_FIELD = new RegExp(
    "pass(?:word|wd|phrase|code)|pwd|secret|token|credential|authorization|signature|session.?id|bearer|mnemonic" +
      "|(?:api|access|private|auth|signing|encryption|master|account|shared).?key|skey|jwt|[cx]srf" +
      "|credit|card|cvv|cvc|ssn|otp|one-time-code|cc-|(?:^|[^a-z])(?:pin|pass|sig|sid|csc|mfa|2fa|tan)(?![a-z])",
    "i",
  );
  const REDACTED = "[redacted]";
  // The reader keeps 100. It must see a secret at the cut whole to recognise it.
  const VALUE_CHARS = 612;
  const NAME_CHARS = 200;
  const OPTIONS = 20;
  const [IDLE_MS, SCROLL_MS] = [1000, 250];
  // A wheel or a finger keeps scrolling for this long. Later movement is the page's own.
  const SCROLLING_MS = 2000;
  // The longest time that a user drags a scrollbar: its release is not always reported.
  const DRAGGING_MS = 30000;
  // The selectors of a pressed element are valid for the click that ends the press.
  const PRESSED_MS = 1000;
  const HELD = 64;
  // Inputs for which the click is the whole action, or that take no text.
  const CLICKED = new Set(["checkbox", "radio", "button", "submit", "reset", "image", "hidden"]);
  const ACTIONABLE =
    "a[href], button, input, select, textarea, summary, label, option, [contenteditable=''], [contenteditable=true], " +
    "[role=button], [role=link], [role=checkbox], [role=radio], [role=switch], [role=tab], [role=menuitem], " +
    "[role=menuitemcheckbox], [role=menuitemradio], [role=option], [role=treeitem], [role=combobox], [role=textbox]";
  /** @type {any} */
  const world = globalThis;
  const { attribute, getter, isField, labelsOf, readText, selectorsOf, shownText, tagOf } = world.gasolineDom;
  // Also right where the page was too busy to say so at once.
  /** @type {(event: Event) => number} */
  const when = world.gasolineWhen;
  const { clickedElement, filesOf, isShortcut, modifiersOf, stateOf } = world.gasolineDetails;
  const formAction = getter(HTMLFormElement.prototype, "action");
  const isConnected = getter(Node.prototype, "isConnected");
  const scrolledX = getter(Element.prototype, "scrollLeft");
  const scrolledY = getter(Element.prototype, "scrollTop");
  const formMethod = getter(HTMLFormElement.prototype, "method");

  /**
   * @typedef {{selectors: Record<string, unknown>, at: number}} Computed
   * @type {Map<number, {element: WeakRef<Element>, looks: string, announcing: boolean, computed: Computed | null}>}
   */
  const held = new Map();
  /** @type {WeakMap<Element, number>} */
  const handles = new WeakMap();
  // Documents begin with numbers of their own: Chrome may give a new one the context number of the last one.
  let lastHandle = Math.floor(Math.random() * 2 ** 40);
  // Fields that once hid what is typed, however they look later.
  /** @type {WeakSet<Element>} */
  const hiding = new WeakSet();
  /** @type {{element: Element, ts: number, until: number, at: number, value: string, secret: boolean, names: any} | null} */
  let typing = null;
  // What was scrolled since the last report, and since when.
  /** @type {Map<Node, number>} */
  const scrolled = new Map();
  let [scrollTimer, enterDown] = [false, false];
  let [movedAt, pressedAt] = [-Infinity, -Infinity];
  /** @type {Element | null} */
  let pressed = null;
  /** @type {{control: Element | null, at: number}} */
  let labelled = { control: null, at: 0 };

  /** @param {Record<string, unknown>} report */
  const send = (report) => Object.hasOwn(world, "gasolineReport") && world.gasolineReport(JSON.stringify(report));

  /** @param {() => void} task @param {{delay?: number, priority?: string}} how */
  const later = (task, how) => {
    world.scheduler.postTask(guarded(task), how).catch(() => {});
  };

  // Our errors must not look like errors of the page.
  /** @param {(...given: any[]) => void} task */
  const guarded = (task) => (/** @type {any[]} */ ...given) => {
    try {
      task(...given);
    } catch {
      // Losing an action is better than disturbing a page.
    }
  };

  /** @param {Event} event @returns {Element | null} */
  const origin = (event) => {
    const [first] = event.composedPath();
    return first instanceof Element ? first : null;
  };

  // The intended target: the button, not the icon inside it.
  /** @param {Event} event */
  const meant = (event) => {
    const element = origin(event);
    for (const node of event.composedPath()) {
      if (node instanceof Element && Element.prototype.matches.call(node, ACTIONABLE)) return node;
    }
    return element;
  };

  // Everything that may determine an element's role and name, to check later that nothing has changed.
  /** @param {Element} element */
  const looksOf = (element) =>
    JSON.stringify([
      ...["role", "type", "title", "alt", "placeholder", "aria-hidden"].map((name) => attribute(element, name)),
      labelsOf(element),
      isField(element) ? "" : readText(element, 200),
    ]);

  // Holds an element until the daemon has asked for its role: only the browser can compute that, from outside the page.
  /** @param {Element} element */
  const hold = (element) => {
    if (element instanceof HTMLInputElement && element.type === "password") hiding.add(element);
    const looks = looksOf(element);
    const known = handles.get(element);
    if (known !== undefined && held.get(known)?.looks === looks) return known;
    const handle = ++lastHandle;
    handles.set(element, handle);
    held.set(handle, { element: new WeakRef(element), looks, announcing: false, computed: null });
    if (held.size > HELD) held.delete(held.keys().next().value ?? 0);
    return handle;
  };

  const elementCount = () => Document.prototype.getElementsByTagName.call(document, "*").length;

  // Reports that an element may be asked about now: the page has painted and is idle. A pressed element is announced,
  // and its selectors are computed, before the click that may change or remove it.
  /** @param {Element} element @param {number} handle @param {boolean} pressed */
  const announce = (element, handle, pressed) => {
    const kept = held.get(handle);
    if (kept) kept.announcing = true;
    const tell = () => {
      if (kept) kept.announcing = false;
      if (kept && pressed) kept.computed = { selectors: selectorsOf(element), at: performance.now() };
      send({ kind: "held", handle, pressed, elements: elementCount() });
    };
    later(tell, { priority: "background" });
  };

  // Computed while the element was pressed, so that the click itself is not delayed; otherwise now.
  /** @param {Element} element @param {number | null} handle */
  const selectorsNow = (element, handle) => {
    const computed = handle === null ? null : held.get(handle)?.computed;
    return computed && performance.now() - computed.at < PRESSED_MS ? computed.selectors : selectorsOf(element);
  };

  /**
   * @param {string} type @param {number} ts @param {Element | null} element @param {Record<string, unknown>} fields
   * @param {Record<string, unknown>} more what is reported with them, such as the names of the field
   */
  const act = (type, ts, element, fields, more = {}) => {
    const handle = element && type !== "scroll" && type !== "submit" ? hold(element) : null;
    send({
      kind: "action",
      type,
      ts,
      url: location.href,
      selectors: element ? selectorsNow(element, handle) : {},
      fields,
      ...more,
      ...(handle === null ? {} : { handle, elements: elementCount() }),
    });
    if (element && handle !== null && !held.get(handle)?.announcing) announce(element, handle, false);
  };

  /** @param {Element} element */
  const namesOf = (element) =>
    Object.fromEntries(
      ["name", "id", "autocomplete"].map((name) => [name, (attribute(element, name) ?? "").slice(0, NAME_CHARS)]),
    );

  /** @param {Element} element */
  const isSecret = (element) => {
    if (element instanceof HTMLInputElement && element.type === "password") hiding.add(element);
    return (
      hiding.has(element) ||
      SECRET_FIELD.test(Object.values(namesOf(element)).join(" ")) ||
      !["", "none"].includes(getComputedStyle(element).getPropertyValue("-webkit-text-security"))
    );
  };

  /** @param {Element} element */
  const valueOf = (element) => {
    if (element instanceof HTMLInputElement && element.type === "file") return `[files: ${element.files?.length ?? 0}]`;
    if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) {
      return element.value.slice(0, VALUE_CHARS);
    }
    return readText(element, VALUE_CHARS);
  };

  const tellTyped = () => {
    if (!typing) return;
    const { element, ts, until, value, secret, names } = typing;
    typing = null;
    const written = element instanceof HTMLTextAreaElement ? "textarea" : "contenteditable";
    act("input", ts, element, {
      // A field that hides its value at the end counts as hidden throughout.
      value: secret || isSecret(element) ? REDACTED : value,
      ...(element instanceof HTMLInputElement && element.type === "file" ? { files: filesOf(element) } : {}),
      input_type: element instanceof HTMLInputElement ? element.type : written,
    }, { until, names: [names, namesOf(element)] });
  };

  const tellTypedWhenIdle = () => {
    if (!typing) return;
    const rest = IDLE_MS - (performance.now() - typing.at);
    if (rest > 0) later(tellTypedWhenIdle, { delay: rest });
    else tellTyped();
  };

  const tellScrolled = () => {
    const [first] = scrolled;
    scrollTimer = scrolled.size > 1;
    if (scrollTimer) later(tellScrolled, { delay: SCROLL_MS });
    if (!first) return;
    const [node, ts] = first;
    scrolled.delete(node);
    const element = node instanceof Element ? node : null;
    act("scroll", ts, element, {
      scroll_x: Math.round(element ? scrolledX(element) : scrollX),
      scroll_y: Math.round(element ? scrolledY(element) : scrollY),
    });
  };

  const tellRest = () => {
    tellTyped();
    while (scrolled.size) tellScrolled();
  };

  // Whether the page has changed since the last click: a click with an effect is not repeated in frustration. Observed
  // only from a click to the first change, so that a busy page is not watched.
  let changed = false;
  const changes = new MutationObserver(() => {
    changed = true;
    changes.disconnect();
  });
  const CHANGES = { attributes: true, characterData: true, childList: true, subtree: true };
  /** @param {Event} event */
  const lookForChanges = (event) => {
    changed = false;
    changes.disconnect();
    changes.observe(document, CHANGES);
    for (const node of event.composedPath()) if (node instanceof ShadowRoot) changes.observe(node, CHANGES);
  };

  /** @type {Record<string, (event: any) => void>} */
  const listeners = {
    pointerdown(event) {
      enterDown = false;
      movedAt = pressedAt = performance.now();
      pressed = meant(event);
      if (pressed) announce(pressed, hold(pressed), true);
    },

    pointerup: () => void (pressedAt = -Infinity),
    pointercancel: () => void (pressedAt = -Infinity),

    /** @param {PointerEvent} event */
    click(event) {
      const element = clickedElement(event, meant(event), pressed);
      // One press, two events: the click on a label is forwarded to its field, and Enter clicks the form's button.
      const passedOn = element !== null && element === labelled.control && event.timeStamp === labelled.at;
      labelled = { control: element instanceof HTMLLabelElement ? element.control : null, at: event.timeStamp };
      if (passedOn || (enterDown && event.detail === 0)) return;
      tellTyped();
      if (!element) return;
      const fields = {
        x: Math.round(event.clientX),
        y: Math.round(event.clientY),
        text: shownText(element, VALUE_CHARS),
        ...modifiersOf(event),
        ...stateOf(element, event),
      };
      act("click", when(event), element, fields, changed ? { page_changed: true } : {});
      lookForChanges(event);
    },

    input(event) {
      const element = origin(event);
      if (!element || !isField(element) || element instanceof HTMLSelectElement) return;
      if (element instanceof HTMLInputElement && CLICKED.has(element.type)) return;
      if (typing?.element !== element) tellTyped();
      if (!typing) {
        typing = {
          element, ts: when(event), until: 0, at: 0, value: "", secret: isSecret(element), names: namesOf(element),
        };
        later(tellTypedWhenIdle, { delay: IDLE_MS });
      }
      typing.at = performance.now();
      typing.until = when(event);
      typing.value = typing.secret ? "" : valueOf(element);
    },

    change(event) {
      const element = origin(event);
      if (!(element instanceof HTMLSelectElement)) return;
      tellTyped();
      const chosen = [...element.selectedOptions].slice(0, OPTIONS);
      const secret = isSecret(element);
      const values = chosen.map((option) => (secret ? REDACTED : option.value.slice(0, VALUE_CHARS)));
      const texts = chosen.map((option) => (secret ? REDACTED : readText(option, VALUE_CHARS)));
      act("select", when(event), element, {
        selected_value: element.multiple ? values : (values[0] ?? ""),
        selected_text: element.multiple ? texts : (texts[0] ?? ""),
      }, { names: [namesOf(element)] });
    },

    /** @param {KeyboardEvent} event */
    keydown(event) {
      if (event.isComposing) return;
      const element = origin(event);
      if (SCROLL_KEYS.has(event.key)) movedAt = performance.now();
      if (event.key === " " && element) announce(element, hold(element), true);
      if (!(KEYS.has(event.key) || isShortcut(event)) || event.repeat) return;
      enterDown = event.key === "Enter";
      tellTyped();
      const nothing = !element || ["html", "body"].includes(tagOf(element));
      act("keypress", when(event), nothing ? null : element, {
        key: event.key,
        ...modifiersOf(event),
      });
    },

    keyup(event) {
      if (event.key === "Enter") enterDown = false;
    },

    submit(event) {
      const form = origin(event);
      if (!(form instanceof HTMLFormElement)) return;
      tellTyped();
      act("submit", when(event), form, { action: formAction(form), method: formMethod(form) });
    },

    focusout(event) {
      if (typing?.element === origin(event)) tellTyped();
    },

    wheel() {
      movedAt = performance.now();
    },

    touchmove() {
      movedAt = performance.now();
    },

    scroll(event) {
      const now = performance.now();
      if (now - movedAt > SCROLLING_MS && now - pressedAt > DRAGGING_MS) return;
      const [node] = event.composedPath();
      // Typing scrolls the inside of a field.
      if (!(node instanceof Node) || node instanceof HTMLInputElement) return;
      if (scrolled.size < HELD && !scrolled.has(node)) scrolled.set(node, when(event));
      if (!scrollTimer) {
        scrollTimer = true;
        later(tellScrolled, { delay: SCROLL_MS });
      }
    },

    pagehide: tellRest,
  };

  const handlers = Object.entries(listeners).map(([type, listener]) => {
    const handler = guarded((event) => {
      if (event.isTrusted) listener(event);
    });
    return /** @type {const} */ ([type, handler]);
  });
  // Adding an existing listener does nothing. `document.open()` removes all of them.
  const listen = () => {
    for (const [type, handler] of handlers) addEventListener(type, handler, { capture: true, passive: true });
  };
  listen();
  new MutationObserver(listen).observe(document, { childList: true });
  // A page that enters the back/forward cache can no longer report when it is hidden.
  const leaving = (/** @type {any} */ event) => event.destination.sameDocument || tellRest();
  world.navigation?.addEventListener("navigate", guarded(leaving));

  Reflect.set(world, "gasolineActions", { act, guarded, later, meant, tellTyped, when });

  // The element behind a handle, if it is unchanged since the handle was given.
  Reflect.set(world, "gasolineHeld", (/** @type {number} */ handle) => {
    const kept = held.get(handle);
    const element = kept?.element.deref();
    return element && isConnected(element) && looksOf(element) === kept?.looks ? element : null;
  });
})
