// @ts-check
// Reports what was typed at once: nobody goes on typing.
(function tellTyped() {
  /** @type {any} */ (globalThis).gasolineActions?.tellTyped();
})
