// @ts-check
// What a field or a checkbox is now: for a check that the input did what it should. Values stay in the page.
(function fieldState(/** @type {string | null} */ expected, /** @type {Element} */ element) {
  /** @type {any} */
  const world = globalThis;
  const { attribute } = world.gasolineDom;
  const checkable = element instanceof HTMLInputElement && ["checkbox", "radio"].includes(element.type);
  const said = attribute(element, "aria-checked") ?? attribute(element, "aria-pressed");
  const control = element instanceof HTMLLabelElement ? element.control : null;
  const box = control instanceof HTMLInputElement ? control : element;
  const isBox = box instanceof HTMLInputElement && ["checkbox", "radio"].includes(box.type);
  const value =
    element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement
      ? element.value
      : element instanceof HTMLElement ? element.innerText : "";
  const plain = (/** @type {string} */ text) => text.replace(/\r\n/g, "\n").replace(/\n$/, "").replace(/\u00a0/g, " ");
  return {
    checked: isBox ? box.checked : said === null ? null : said === "true",
    radio: (checkable || isBox) && box instanceof HTMLInputElement && box.type === "radio",
    takes: expected === null || plain(value) === plain(expected),
    length: value.length,
  };
})
