// @ts-check
// Reads details of an action that a test needs to repeat it. Installed in our own world before the observers that use it
// (`globalThis.gasolineDetails`). Reads only.
(function installDetails() {
  const FILES = 20;
  const NAME_CHARS = 200;
  // With a modifier. Copying and pasting change what is typed, which is reported by itself.
  const SHORTCUT = /^(?:[a-zA-Z0-9/.,;'[\]\\=-]|F\d{1,2}|Home|End|PageUp|PageDown)$/;
  /** @type {any} */
  const world = globalThis;
  const { getter, tagOf } = world.gasolineDom;
  const isConnected = getter(Node.prototype, "isConnected");

  /** @param {MouseEvent | KeyboardEvent} event */
  const modifiersOf = (event) => {
    const modifiers = ["Alt", "Control", "Meta", "Shift"].filter((name) => event.getModifierState(name));
    return modifiers.length ? { modifiers } : {};
  };

  // AltGr, which types, is reported as Control and Alt.
  /** @param {KeyboardEvent} event */
  const isShortcut = (event) => (event.ctrlKey !== event.altKey || event.metaKey) && SHORTCUT.test(event.key);

  // What a click made of a checkbox. Where only the position in an element tells what was clicked, that position.
  /** @param {Element} element @param {MouseEvent} event */
  const stateOf = (element, event) => {
    if (element instanceof HTMLInputElement && ["checkbox", "radio"].includes(element.type)) {
      return { checked: element.checked };
    }
    const isClosed = tagOf(element).includes("-") && event.composedPath()[0] === element && !element.firstElementChild;
    if (!isClosed && tagOf(element) !== "canvas") return {};
    const box = Element.prototype.getBoundingClientRect.call(element);
    const at = [Math.round(event.clientX - box.x), Math.round(event.clientY - box.y)];
    return { at, ...(isClosed ? { closed_root: true } : {}) };
  };

  // Where the page put something else under the pointer meanwhile, Chrome clicks what contains both. What was pressed is
  // what the user meant.
  /** @param {MouseEvent} event @param {Element | null} element @param {Element | null} pressed */
  const clickedElement = (event, element, pressed) => {
    const [first] = event.composedPath();
    if (!pressed || element === pressed || event.detail === 0 || !(first instanceof Node)) return element;
    const isAbove = Node.prototype.contains.call(first, pressed) || !isConnected(pressed);
    return isAbove && !Node.prototype.contains.call(pressed, element) ? pressed : element;
  };

  /** @param {HTMLInputElement} element */
  const filesOf = (element) => [...(element.files ?? [])].slice(0, FILES).map((file) => file.name.slice(0, NAME_CHARS));

  Reflect.set(world, "gasolineDetails", { clickedElement, filesOf, isShortcut, modifiersOf, stateOf });
})
