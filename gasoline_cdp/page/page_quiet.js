// @ts-check
// Waits until the document has not changed for some time and has drawn what it changed. Returns whether it changed.
(/** @this {any} @param {any} request */ async function pageQuiet(request) {
  let last = performance.now();
  let changed = false;
  const watcher = new MutationObserver(() => {
    changed = true;
    last = performance.now();
  });
  watcher.observe(document, { attributes: true, characterData: true, childList: true, subtree: true });
  const drawn = () => new Promise((done) => requestAnimationFrame(done));
  try {
    do await drawn();
    while (!this.signal.aborted && (document.readyState === "loading" || performance.now() - last < request.quiet_ms));
  } finally {
    watcher.disconnect();
  }
  return changed;
})
