// A tracker wraps `fetch` each time it starts, around what is there by then.
const original = window.fetch;
class Tracker {
  requests = Array.from({ length: 300 }, (_, id) => ({ id }));
  start() {
    const before = window.fetch;
    window.fetch = (...request) => {
      this.requests.push({ url: String(request[0]) });
      return before(...request);
    };
  }
  stop() {
    if (repaired) window.fetch = original;
  }
}
window.round = async () => {
  const tracker = new Tracker();
  tracker.start();
  await nextFrame();
  tracker.stop();
};
