// uses: hammerjs/hammer.min.js
// Cards can be swiped; the recogniser is not destroyed with the card.
class Card {
  constructor() {
    this.element = document.createElement("article");
    this.element.innerHTML = "<h3>Card</h3>";
    document.body.append(this.element);
    this.gestures = new Hammer(this.element);
    this.gestures.on("swipe", () => this.remove());
  }
  remove() {
    this.element.remove();
    if (repaired) this.gestures.destroy();
  }
}
window.round = async () => {
  const card = new Card();
  await nextFrame();
  card.remove();
};
