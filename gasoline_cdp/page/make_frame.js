// @ts-check
// Adds a frame to a document that is reloaded afterwards. Returns its element once it has loaded something.
(function makeFrame(/** @type {string} */ address) {
  const frame = /** @type {HTMLIFrameElement} */ (Document.prototype.createElementNS.call(
    document, "http://www.w3.org/1999/xhtml", "iframe",
  ));
  frame.style.display = "none";
  frame.src = address;
  return new Promise((done) => {
    frame.addEventListener("load", () => done(frame), { once: true });
    Object.getOwnPropertyDescriptor(Document.prototype, "documentElement")?.get?.call(document).append(frame);
  });
})
