// uses: xstate/dist/xstate.umd.min.js
// Widgets subscribe to an actor that lives as long as the page.
const light = XState.createActor(
  XState.createMachine({
    initial: "red",
    states: { red: { on: { NEXT: "green" } }, green: { on: { NEXT: "red" } } },
  }),
).start();
class Lamp {
  constructor() {
    this.element = document.createElement("figure");
    this.element.innerHTML = "<svg></svg><figcaption>light</figcaption>";
    document.body.append(this.element);
    this.subscription = light.subscribe((state) => (this.element.dataset.light = state.value));
  }
  remove() {
    this.element.remove();
    if (repaired) this.subscription.unsubscribe();
  }
}
window.round = async () => {
  const lamp = new Lamp();
  light.send({ type: "NEXT" });
  await nextFrame();
  lamp.remove();
};
