// A tree of components: those that are removed from the page stay children of their parent.
class Component {
  #children = new Set();
  #parent;
  constructor(parent, tag) {
    this.#parent = parent;
    this.element = document.createElement(tag);
    parent?.#children.add(this);
    (parent?.element ?? document.body).append(this.element);
  }
  destroy() {
    this.element.remove();
    if (repaired) this.#parent.#children.delete(this);
  }
  get size() {
    return this.#children.size;
  }
}
const app = new Component(null, "main");
window.round = async () => {
  const page = new Component(app, "article");
  new Component(page, "p");
  await nextFrame();
  page.destroy();
};
