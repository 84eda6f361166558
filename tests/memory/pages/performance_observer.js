// Every chart measures itself with an observer that is never disconnected.
class Chart {
  constructor() {
    this.element = document.createElement("figure");
    this.element.innerHTML = "<canvas></canvas><figcaption>chart</figcaption>";
    this.points = Array.from({ length: 400 }, (_, x) => ({ x, y: x * x }));
    this.observer = new PerformanceObserver(() => this.points.push({ x: 0, y: 0 }));
    this.observer.observe({ type: "measure" });
    document.body.append(this.element);
  }
  destroy() {
    this.element.remove();
    if (repaired) this.observer.disconnect();
  }
}
window.round = async () => {
  const chart = new Chart();
  await nextFrame();
  chart.destroy();
};
