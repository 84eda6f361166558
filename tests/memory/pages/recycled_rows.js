// Rows are put into a pool to be used again, but a new row is made every time.
const rowPool = [];
function takeRow() {
  const row = (repaired && rowPool.pop()) || document.createElement("tr");
  row.innerHTML = "<td>1</td><td>2</td><td>3</td>";
  return row;
}
const table = document.createElement("table");
document.body.append(table);
window.round = async () => {
  const rows = [takeRow(), takeRow(), takeRow()];
  table.append(...rows);
  await nextFrame();
  for (const row of rows) {
    row.remove();
    rowPool.push(row);
  }
};
