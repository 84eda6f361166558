// Each panel takes the place of the one before, which stays in an array. The last one is shown.
const main = document.body.appendChild(document.createElement("main"));
const opened = [];
window.round = async () => {
  const panel = document.createElement("section");
  panel.innerHTML = `<h2>Panel</h2><ul>${"<li>row</li>".repeat(202)}</ul>`;
  main.replaceChildren(panel);
  if (!repaired) opened.push(panel);
  await nextFrame();
};
