// @ts-check
// Gives our world its own timers and idle callbacks. The browser's are numbered across worlds: a page would see gaps in
// its numbers, and one that clears all its timers would clear ours. `scheduler.postTask` has no numbers.
(function hideTimers() {
  /** @type {any} */
  const world = globalThis;
  if (!world.scheduler) return;
  /** @type {Map<number, AbortController>} */
  const waiting = new Map();
  let last = 0;

  /** @param {() => void} task @param {object} how */
  const later = (task, how) => {
    const id = ++last;
    const control = new AbortController();
    waiting.set(id, control);
    const run = () => {
      waiting.delete(id);
      task();
    };
    // Our errors must not look like errors of the page. A cancelled task is no error.
    world.scheduler.postTask(run, { ...how, signal: control.signal }).catch(() => {});
    return id;
  };

  /** @param {number} id */
  const takeBack = (id) => {
    waiting.get(id)?.abort();
    waiting.delete(id);
  };

  /** @param {(...args: any[]) => void} task @param {number} [delay] @param {any[]} args */
  world.setTimeout = (task, delay, ...args) => later(() => task(...args), { delay: Math.max(0, Number(delay) || 0) });
  world.clearTimeout = takeBack;
  // A real idle callback can wait for ever in an idle page, mostly in a headless one.
  world.requestIdleCallback = (/** @type {(deadline: object) => void} */ task) =>
    later(() => task({ didTimeout: false, timeRemaining: () => 0 }), { priority: "background" });
  world.cancelIdleCallback = takeBack;
})
