// @ts-check
// Waits until the document has not changed for some time and has drawn what it changed. Returns whether it changed.
// `loading`: whether to wait also for a document that is still loading.
(async function pageQuiet(/** @type {any} */ request) {
  // Some pages never rest: a clock, a game, an animation by script.
  const LONGEST_MS = 2000;
  const begun = performance.now();
  let last = begun;
  let changed = false;
  const watcher = new MutationObserver(() => {
    changed = true;
    last = performance.now();
  });
  watcher.observe(document, { attributes: true, characterData: true, childList: true, subtree: true });
  const drawn = () => new Promise((done) => requestAnimationFrame(done));
  try {
    do await drawn();
    while (performance.now() - begun < LONGEST_MS && ((request.loading && document.readyState === "loading") || performance.now() - last < request.quiet_ms));
  } finally {
    watcher.disconnect();
  }
  return changed;
})
