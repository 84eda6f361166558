// What is to be told when a view is collected holds the view itself, so it never is.
const registry = new FinalizationRegistry((held) => held.done());
class View {
  constructor() {
    this.element = document.createElement("article");
    this.element.innerHTML = "<h3>View</h3><p>text</p>";
    this.rows = Array.from({ length: 300 }, (_, row) => ({ row }));
    const rows = this.rows.length;
    registry.register(this, { done: repaired ? logger(rows) : () => console.debug(this.rows.length) });
    document.body.append(this.element);
  }
}
function logger(rows) {
  return () => console.debug(rows);
}
window.round = async () => {
  const view = new View();
  await nextFrame();
  view.element.remove();
};
