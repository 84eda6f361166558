// @ts-check
// The file field that an element is, contains, or is the label of.
(function fileField(/** @type {Element} */ element) {
  const isFile = (/** @type {unknown} */ one) => one instanceof HTMLInputElement && one.type === "file";
  if (isFile(element)) return element;
  const label = element instanceof HTMLLabelElement ? element : Element.prototype.closest.call(element, "label");
  if (label instanceof HTMLLabelElement && isFile(label.control)) return label.control;
  const inside = Element.prototype.querySelectorAll.call(element, "input[type=file]");
  return inside.length === 1 ? inside[0] : null;
})
