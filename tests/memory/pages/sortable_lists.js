// uses: sortablejs/Sortable.min.js
// Lists that can be sorted are made anew, and the old ones stay with the library.
window.round = async () => {
  const list = document.body.appendChild(document.createElement("ul"));
  list.innerHTML = "<li>one<li>two<li>three";
  const sortable = Sortable.create(list, { animation: 0 });
  await nextFrame();
  if (repaired) sortable.destroy();
  list.remove();
};
