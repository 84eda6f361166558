// @ts-check
// Whether a file field takes several files.
(function takesFiles(/** @type {HTMLInputElement} */ field) {
  return field.multiple;
})
