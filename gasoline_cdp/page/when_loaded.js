// @ts-check
// Waits until the document has loaded, at most so many milliseconds; returns how far it is. Reads only.
(function whenLoaded(/** @type {number} */ milliseconds) {
  if (document.readyState === "complete") return document.readyState;
  return new Promise((resolve) => {
    const answer = () => resolve(document.readyState);
    addEventListener("load", answer, { once: true });
    setTimeout(answer, milliseconds);
  });
})
