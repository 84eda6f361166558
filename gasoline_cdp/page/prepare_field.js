// @ts-check
// Makes a field ready for text: focused, with its content selected (to replace) or the caret at its end. Fields without
// text (dates, colours, sliders) take the value at once. Needs `gasolineReach`.
(function prepareField(/** @type {any} */ request, /** @type {HTMLElement} */ element) {
  /** @type {any} */
  const world = globalThis;
  if (!Object.hasOwn(world, "gasolineReach")) return { missing: true };
  const { editorAround, hasFocus } = world.gasolineReach;
  const { isField } = world.gasolineDom;
  const CHOSEN = new Set(["date", "time", "datetime-local", "month", "week", "color", "range"]);
  if (request.replace && element instanceof HTMLInputElement && CHOSEN.has(element.type)) {
    const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set;
    HTMLElement.prototype.focus.call(element);
    set?.call(element, request.value);
    if (element.value !== request.value && !(element.type === "color" && element.value === request.value.toLowerCase())) {
      return { problem: "refused", type: element.type, value: element.value };
    }
    element.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
    element.dispatchEvent(new Event("change", { bubbles: true }));
    // The page's own events are no actions, so this one is reported by hand.
    world.gasolineActions?.act("input", Date.now(), element, { value: element.value, input_type: element.type });
    return { set: true };
  }
  // The browser would drop each key that is no part of a number.
  if (request.replace && element instanceof HTMLInputElement && element.type === "number" && request.value) {
    const probe = document.createElement("input");
    probe.type = "number";
    probe.value = request.value.trim();
    if (!probe.value) return { problem: "refused", type: "number", value: "" };
  }
  const editor = editorAround(element);
  HTMLElement.prototype.focus.call(editor ?? element);
  // Of an editor, only the part that is meant.
  if (editor) document.getSelection()?.selectAllChildren(element);
  if (!hasFocus(element)) return { problem: "no_focus" };
  if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) {
    const length = element.value.length;
    if (request.replace) element.select();
    else if (element.selectionStart !== null) element.setSelectionRange(length, length);
    return { empty: length === 0 };
  }
  if (isField(element)) {
    const selection = document.getSelection();
    selection?.selectAllChildren(element);
    if (!request.replace) selection?.collapseToEnd();
    return { empty: (element.textContent ?? "") === "" };
  }
  return {};
})
