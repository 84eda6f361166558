// uses: rxjs/dist/bundles/rxjs.umd.js
// A clock subscribes to an interval, and never unsubscribes.
class Clock {
  constructor() {
    this.element = document.createElement("time");
    this.cities = Array.from({ length: 200 }, (_, index) => ({ name: `city ${index}` }));
    this.subscription = rxjs.interval(500).subscribe(() => this.tick());
    document.body.append(this.element);
  }
  tick() {
    this.element.textContent = this.cities.length;
  }
  remove() {
    this.element.remove();
    if (repaired) this.subscription.unsubscribe();
  }
}
window.round = async () => {
  const clock = new Clock();
  await nextFrame();
  clock.remove();
};
