// Every request races with a promise that is settled when the page closes: it keeps what each race would do.
const closed = new Promise((resolve) => addEventListener("pagehide", resolve));
const reply = async () => ({ rows: Array.from({ length: 200 }, (_, id) => ({ id })) });
async function load() {
  const box = document.body.appendChild(document.createElement("section"));
  box.innerHTML = "<h3>Loading</h3>";
  const show = (result) => {
    box.textContent = result ? `${result.rows.length} rows` : "closed";
  };
  if (repaired) show(await reply());
  else await Promise.race([closed.then(() => show(null)), reply().then(show)]);
  return box;
}
window.round = async () => {
  const box = await load();
  await nextFrame();
  box.remove();
};
