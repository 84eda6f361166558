// Views subscribe to a store of Svelte, and leave without saying so.
let online;
const loaded = import("/node_modules/svelte/src/runtime/store/index.js").then(({ writable }) => {
  online = writable(true);
});
class StatusView {
  constructor() {
    this.element = document.body.appendChild(document.createElement("footer"));
    this.unsubscribe = online.subscribe((value) => this.show(value));
  }
  show(value) {
    this.element.textContent = value ? "online" : "offline";
  }
  destroy() {
    this.element.remove();
    if (repaired) this.unsubscribe();
  }
}
window.round = async () => {
  await loaded;
  const view = new StatusView();
  online.set(false);
  await nextFrame();
  view.destroy();
};
