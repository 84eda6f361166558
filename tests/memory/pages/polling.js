// A view asks for news again and again, also when it is gone.
class NewsView {
  constructor() {
    this.root = document.createElement("main");
    this.root.innerHTML = "<p>News</p>";
    this.items = new Array(500).fill(0).map((_, item) => ({ item }));
    document.body.append(this.root);
    this.poll();
  }
  poll() {
    this.items[0].item += 1;
    this.timer = setTimeout(() => this.poll(), 30);
  }
  close() {
    this.root.remove();
    if (repaired) clearTimeout(this.timer);
  }
}
window.round = async () => {
  const view = new NewsView();
  await nextFrame();
  view.close();
};
