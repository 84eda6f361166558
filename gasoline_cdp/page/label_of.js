// @ts-check
// The label of a field, if one is drawn.
(function labelOf(/** @type {Element} */ element) {
  /** @type {NodeListOf<HTMLLabelElement> | undefined} */
  const labels = element instanceof HTMLFormElement ? undefined : Reflect.get(element, "labels");
  return [...(labels instanceof NodeList ? labels : [])].find((label) => label.getClientRects().length > 0) ?? null;
})
