// A ticker runs in a loop that waits; nobody tells it that it is gone.
class Ticker {
  constructor() {
    this.element = document.createElement("marquee");
    this.element.innerHTML = "<b>news</b>";
    this.news = Array.from({ length: 200 }, (_, item) => ({ item }));
    this.gone = false;
    document.body.append(this.element);
    this.run();
  }
  async run() {
    while (!this.gone) {
      this.element.title = String(this.news.length);
      await new Promise((resolve) => setTimeout(resolve, 400));
    }
  }
  remove() {
    this.element.remove();
    if (repaired) this.gone = true;
  }
}
window.round = async () => {
  const ticker = new Ticker();
  await nextFrame();
  ticker.remove();
};
