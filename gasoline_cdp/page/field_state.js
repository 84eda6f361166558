// @ts-check
// What a field or a checkbox is now: for a check that the input did what it should. Values stay in the page.
(function fieldState(/** @type {string | null} */ expected, /** @type {Element} */ element) {
  /** @type {any} */
  const world = globalThis;
  if (!Object.hasOwn(world, "gasolineDom")) return { missing: true };
  const { attribute } = world.gasolineDom;
  const said = attribute(element, "aria-checked") ?? attribute(element, "aria-pressed");
  const control = element instanceof HTMLLabelElement ? element.control : null;
  const box = control instanceof HTMLInputElement ? control : element;
  const isBox = box instanceof HTMLInputElement && ["checkbox", "radio"].includes(box.type);
  const value =
    element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement
      ? element.value
      : element instanceof HTMLElement ? element.innerText : "";
  // Without a word about it, these are unchecked.
  const CHECKED_ROLES = ["checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"];
  const role = attribute(element, "role") ?? "";
  const plain = (/** @type {string} */ text) => text.replace(/\r\n/g, "\n").replace(/\n$/, "").replace(/\u00a0/g, " ");
  return {
    checked: isBox ? box.checked : said === null && !CHECKED_ROLES.includes(role) ? null : said === "true",
    radio: isBox ? box.type === "radio" : ["radio", "menuitemradio"].includes(role),
    takes: expected === null || plain(value) === plain(expected),
    begins: expected !== null && plain(expected).startsWith(plain(value)),
    length: value.length,
  };
})
