// @ts-check
// Layout shifts and long tasks since a time, from what the browser has recorded of this document.
(async function disturbances(/** @type {number} */ since) {
  let [shift, tasks, busy] = [0, 0, 0];
  const from = since - performance.timeOrigin;
  /** @param {any[]} entries */
  const add = (entries) => {
    for (const entry of entries) {
      if (entry.startTime < from) continue;
      if (entry.entryType === "layout-shift") shift += entry.value;
      else [tasks, busy] = [tasks + 1, busy + entry.duration];
    }
  };
  const observer = new PerformanceObserver((list) => add(list.getEntries()));
  for (const type of ["layout-shift", "longtask"]) observer.observe({ type, buffered: true });
  // What is buffered comes in a task of its own.
  await new Promise((done) => requestAnimationFrame(() => /** @type {any} */ (globalThis).scheduler.postTask(done)));
  add(observer.takeRecords());
  observer.disconnect();
  return { shift, tasks, busy };
})
