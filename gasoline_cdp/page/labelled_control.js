// @ts-check
// The field that a label is for; nothing for other elements.
(function labelledControl(/** @type {Element} */ element) {
  const label = element instanceof HTMLLabelElement ? element : null;
  return label?.control ?? null;
})
