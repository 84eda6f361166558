// uses: jquery/dist/jquery.min.js
// uses: datatables.net/js/dataTables.min.js
// A report makes its table sortable. The report goes, the table is not destroyed.
window.round = async () => {
  const table = document.createElement("table");
  table.innerHTML = "<thead><tr><th>Name<th>Price<tbody><tr><td>a<td>1<tr><td>b<td>2<tr><td>c<td>3";
  const report = document.body.appendChild(document.createElement("section"));
  report.append(table);
  const sortable = new DataTable(table);
  await nextFrame();
  if (repaired) sortable.destroy();
  report.remove();
};
