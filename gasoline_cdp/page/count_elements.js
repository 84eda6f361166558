// @ts-check
// How many elements the document has, or a part of it; a form may have a field of any name, so nothing is asked of it.
(function countElements(/** @type {Element | undefined} */ part) {
  const inside = part
    ? Element.prototype.getElementsByTagName.call(part, "*")
    : Document.prototype.getElementsByTagName.call(document, "*");
  return inside.length;
})
