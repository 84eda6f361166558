// The same metrics, measured by the page itself in its own world.
// For an idle moment, a headless page at rest can wait for ever.
const whenIdle = window.requestIdleCallback;
window.requestIdleCallback = (callback) => whenIdle(callback, { timeout: 100 });
window.measured = {};
addEventListener("pageshow", (event) => {
  if (event.persisted) window.measured = {};
});
for (const name of ["FCP", "LCP", "CLS", "INP", "TTFB"]) {
  webVitals[`on${name}`]((metric) => (window.measured[name] = metric.value), { reportAllChanges: true });
}
