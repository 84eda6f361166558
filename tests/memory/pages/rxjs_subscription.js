// uses: rxjs/dist/bundles/rxjs.umd.min.js
// Views subscribe to a subject that lives as long as the page.
const prices = new rxjs.Subject();
class PriceView {
  constructor() {
    this.element = document.body.appendChild(document.createElement("output"));
    this.subscription = prices.pipe(rxjs.map((price) => `${price} €`)).subscribe((text) => {
      this.element.textContent = text;
    });
  }
  destroy() {
    this.element.remove();
    if (repaired) this.subscription.unsubscribe();
  }
}
window.round = async () => {
  const view = new PriceView();
  prices.next(12);
  await nextFrame();
  view.destroy();
};
