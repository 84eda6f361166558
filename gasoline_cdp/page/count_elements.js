// @ts-check
// Counts the elements of the document or of a part of it. A form may have a field of any name, so it reads no
// properties of elements.
(function countElements(/** @type {Element | undefined} */ part) {
  const inside = part
    ? Element.prototype.getElementsByTagName.call(part, "*")
    : Document.prototype.getElementsByTagName.call(document, "*");
  return inside.length;
})
