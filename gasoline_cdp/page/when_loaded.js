// @ts-check
// Waits until the document has loaded, at most so many milliseconds; returns its ready state. Reads only.
(function whenLoaded(/** @type {number} */ milliseconds) {
  // A page's images can shadow the properties of its document.
  const readyState = () => Object.getOwnPropertyDescriptor(Document.prototype, "readyState")?.get?.call(document);
  if (readyState() === "complete") return readyState();
  return new Promise((resolve) => {
    const answer = () => resolve(readyState());
    addEventListener("load", answer, { once: true });
    setTimeout(answer, milliseconds);
  });
})
