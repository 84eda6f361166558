// Components subscribe to a bus of the page, and do not unsubscribe.
class Bus {
  handlers = { change: [] };
  on(name, handler) {
    this.handlers[name].push(handler);
    return () => this.handlers[name].splice(this.handlers[name].indexOf(handler), 1);
  }
}
const bus = new Bus();
class Badge {
  constructor() {
    this.el = document.createElement("span");
    this.el.textContent = "0";
    document.body.append(this.el);
    this.off = bus.on("change", (count) => {
      this.el.textContent = count;
    });
  }
  destroy() {
    this.el.remove();
    if (repaired) this.off();
  }
}
window.round = async () => {
  const badge = new Badge();
  await nextFrame();
  badge.destroy();
};
