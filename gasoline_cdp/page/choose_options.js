// @ts-check
// Chooses options of a <select> by value or label, as the browser's own list does. That list is drawn outside the page,
// where no pointer of ours reaches it. So the events are the page's own, and the action is reported by hand.
(function chooseOptions(/** @type {string[]} */ wanted, /** @type {HTMLElement} */ element) {
  /** @type {any} */
  const world = globalThis;
  const { readText, squeeze } = world.gasolineDom;
  if (!(element instanceof HTMLSelectElement)) return { problem: "no_select" };
  const options = [...element.options];
  /** @type {HTMLOptionElement[]} */
  const chosen = [];
  // Nothing of a list that takes several.
  const none = element.multiple && wanted.join("") === "" && options.every((option) => option.value !== "");
  for (const want of none ? [] : wanted) {
    const match = (/** @type {HTMLOptionElement} */ option) => squeeze(option.label) === want || squeeze(option.text) === want;
    const byValue = options.filter((option) => option.value === want);
    const named = byValue.length ? byValue : options.filter(match);
    if (named.length !== 1) {
      const shown = options.slice(0, 15).map((option) => readText(option, 40) || option.value.slice(0, 40));
      return { problem: named.length ? "ambiguous" : "no_option", value: want, options: shown, more: options.length - shown.length };
    }
    if (named[0].disabled || named[0].closest("optgroup:disabled")) return { problem: "disabled_option", value: want };
    chosen.push(named[0]);
  }
  if (wanted.length > 1 && !element.multiple) return { problem: "not_multiple" };
  HTMLElement.prototype.focus.call(element);
  const before = options.filter((option) => option.selected);
  for (const option of options) option.selected = chosen.includes(option);
  const same = before.length === chosen.length && before.every((option) => chosen.includes(option));
  if (same) return { unchanged: true };
  element.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
  element.dispatchEvent(new Event("change", { bubbles: true }));
  const values = chosen.map((option) => option.value);
  const texts = chosen.map((option) => readText(option, 200));
  world.gasolineActions?.act("select", Date.now(), element, {
    selected_value: element.multiple ? values : (values[0] ?? ""),
    selected_text: element.multiple ? texts : (texts[0] ?? ""),
  }, { names: [{ name: element.name, id: element.id, autocomplete: element.autocomplete }] });
  return { chosen: texts };
})
