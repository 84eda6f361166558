// A panel listens to the window, and is never told to stop.
class Panel {
  constructor() {
    this.element = document.createElement("section");
    this.element.innerHTML = "<h2>Panel</h2><ul><li>one</li><li>two</li></ul>";
    this.rows = Array.from({ length: 300 }, (_, row) => ({ row, text: `row ${row}` }));
    this.onResize = () => this.element.classList.toggle("wide", innerWidth > 600);
    window.addEventListener("resize", this.onResize);
    document.body.append(this.element);
  }
  close() {
    this.element.remove();
    if (repaired) window.removeEventListener("resize", this.onResize);
  }
}
window.round = async () => {
  const panel = new Panel();
  await nextFrame();
  panel.close();
};
