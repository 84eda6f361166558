// A bus of the page is an EventTarget of its own.
const bus = new EventTarget();
function mountRow(number) {
  const row = document.createElement("tr");
  row.innerHTML = "<td>row</td><td></td>";
  document.body.append(row);
  const stop = new AbortController();
  bus.addEventListener("price", (event) => row.lastChild.append(event.detail, number), { signal: stop.signal });
  return () => {
    row.remove();
    if (repaired) stop.abort();
  };
}
let count = 0;
window.round = async () => {
  const unmount = mountRow((count += 1));
  bus.dispatchEvent(new CustomEvent("price", { detail: "1 €" }));
  await nextFrame();
  unmount();
};
