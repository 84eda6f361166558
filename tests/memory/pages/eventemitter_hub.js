// uses: eventemitter3/dist/eventemitter3.umd.min.js
// Views listen to a hub of the page, with themselves as the context of their handlers.
const hub = new EventEmitter3();
class StatusView {
  constructor() {
    this.element = document.createElement("aside");
    this.element.innerHTML = "<b>status</b>";
    document.body.append(this.element);
    hub.on("status", this.show, this);
  }
  show(text) {
    this.element.textContent = text;
  }
  remove() {
    this.element.remove();
    if (repaired) hub.off("status", this.show, this);
  }
}
window.round = async () => {
  const view = new StatusView();
  hub.emit("status", "ready");
  await nextFrame();
  view.remove();
};
