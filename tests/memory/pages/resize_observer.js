// A chart follows the size of the body, also when it is gone.
class Chart {
  constructor() {
    this.svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    this.points = new Float64Array(2000);
    document.body.append(this.svg);
    this.observer = new ResizeObserver(() => this.draw());
    this.observer.observe(document.body);
  }
  draw() {
    this.svg.setAttribute("width", String(this.points.length));
  }
  destroy() {
    this.svg.remove();
    if (repaired) this.observer.disconnect();
  }
}
window.round = async () => {
  const chart = new Chart();
  await nextFrame();
  chart.destroy();
};
