// uses: tabulator-tables/dist/js/tabulator.js
// A page with a table is left; the table is not destroyed.
window.round = async () => {
  const box = document.body.appendChild(document.createElement("div"));
  const table = new Tabulator(box, {
    data: [{ id: 1, name: "a" }, { id: 2, name: "b" }],
    columns: [{ title: "Name", field: "name" }],
  });
  await new Promise((built) => table.on("tableBuilt", built));
  if (repaired) table.destroy();
  box.remove();
};
