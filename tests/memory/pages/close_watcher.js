// Drawers close with the Escape key, and leave their watcher behind when they are closed by a click.
class Drawer {
  constructor() {
    this.element = document.createElement("nav");
    this.element.innerHTML = "<a>one</a><a>two</a>";
    document.body.append(this.element);
    this.watcher = new CloseWatcher();
    this.watcher.onclose = () => this.element.remove();
  }
  clicked() {
    this.element.remove();
    if (repaired) this.watcher.destroy();
  }
}
window.round = async () => {
  const drawer = new Drawer();
  await nextFrame();
  drawer.clicked();
};
