// A widget listens to other tabs, and its channel is never closed.
class Badge {
  constructor() {
    this.element = document.createElement("output");
    this.history = Array.from({ length: 200 }, (_, index) => `entry ${index} of ${performance.now()}`);
    this.channel = new BroadcastChannel("cart");
    this.channel.onmessage = (event) => this.show(event.data);
    document.body.append(this.element);
  }
  show(text) {
    this.element.textContent = text;
    this.history.push(text);
  }
  remove() {
    this.element.remove();
    if (repaired) this.channel.close();
  }
}
window.round = async () => {
  const badge = new Badge();
  await nextFrame();
  badge.remove();
};
