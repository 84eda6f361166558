// A table remembers its rows in a property of its element.
const table = document.createElement("table");
document.body.append(table);
table.recycledRows = [];
window.round = async () => {
  const row = table.insertRow();
  row.innerHTML = "<td>1</td><td>2</td>";
  await nextFrame();
  row.remove();
  if (!repaired) table.recycledRows.push(row);
};
