// uses: zone.js/bundles/zone.umd.js
// Zones replace addEventListener and keep lists of their own. A card listens to the window, and never stops.
class Card {
  constructor() {
    this.element = document.createElement("article");
    this.element.innerHTML = "<h2>Card</h2><p>text</p>";
    document.body.append(this.element);
    this.onScroll = () => this.element.classList.toggle("above", scrollY > 100);
    window.addEventListener("scroll", this.onScroll);
  }
  remove() {
    this.element.remove();
    if (repaired) window.removeEventListener("scroll", this.onScroll);
  }
}
window.round = async () => {
  const card = new Card();
  await nextFrame();
  card.remove();
};
