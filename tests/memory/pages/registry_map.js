// A registry keeps every widget by its id.
const registry = new Map();
let last = 0;
class Widget {
  constructor(id) {
    this.id = id;
    this.el = document.createElement("div");
    this.el.className = "widget";
    this.el.append(document.createElement("canvas"), "text");
  }
}
window.round = async () => {
  const widget = new Widget(`w${last++}`);
  registry.set(widget.id, widget);
  document.body.append(widget.el);
  await nextFrame();
  widget.el.remove();
  if (repaired) registry.delete(widget.id);
};
