// @ts-check
// When an event happened by the machine's clock: one answer for all observers of a document. Who compares two reports
// of the same event finds the same time in both. Installed before the observers that use it (`gasolineWhen`).
(function installClock() {
  // `Date.now()` counts whole milliseconds. A larger difference means that somebody has set the clock.
  const CLOCK_SET_MS = 2;
  // No event waits longer for its page.
  const WAITED_MS = 10000;
  const TRIES = 5;

  // The time of the machine at the page's time zero. Two readings with a pause in between do not belong together: the
  // machine was busy with something else. They are made again.
  const readZero = () => {
    let zero = 0;
    for (let tries = 0; tries < TRIES; tries++) {
      const before = performance.now();
      const date = Date.now();
      const now = performance.now();
      zero = date - now;
      if (now - before < 1) break;
    }
    return zero;
  };

  let zero = readZero();

  /** @param {Event} event */
  const when = (event) => {
    const fresh = readZero();
    if (Math.abs(fresh - zero) >= CLOCK_SET_MS) zero = fresh;
    const now = performance.now();
    return zero + Math.min(now, Math.max(now - WAITED_MS, event.timeStamp));
  };

  Reflect.set(globalThis, "gasolineWhen", when);
})
