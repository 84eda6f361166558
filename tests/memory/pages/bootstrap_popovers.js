// uses: bootstrap/dist/js/bootstrap.bundle.min.js
// Rows come with a popover, which is not disposed of with the row.
class Row {
  constructor() {
    this.element = document.createElement("tr");
    this.element.innerHTML = "<td><button title='More'>i</button></td>";
    const table = document.querySelector("tbody") ?? document.body.appendChild(document.createElement("tbody"));
    table.append(this.element);
    this.popover = new bootstrap.Popover(this.element.querySelector("button"), { content: "More of it" });
  }
  remove() {
    if (repaired) this.popover.dispose();
    this.element.remove();
  }
}
window.round = async () => {
  const row = new Row();
  await nextFrame();
  row.remove();
};
