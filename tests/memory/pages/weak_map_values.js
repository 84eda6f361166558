// Notes are kept by element in a WeakMap; but the element is the body, which stays, so they stay as well.
const notes = new WeakMap([[document.body, []]]);
class Tooltip {
  constructor() {
    this.element = document.createElement("aside");
    this.element.innerHTML = "<b>tip</b>";
    this.words = Array.from({ length: 300 }, (_, index) => `word ${index} ${performance.now()}`);
    document.body.append(this.element);
    notes.get(document.body).push(this);
  }
  remove() {
    this.element.remove();
    if (repaired) notes.get(document.body).pop();
  }
}
window.round = async () => {
  const tooltip = new Tooltip();
  await nextFrame();
  tooltip.remove();
};
