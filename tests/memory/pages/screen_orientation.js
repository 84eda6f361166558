// Galleries turn with the screen, also when they are closed.
function gallery() {
  const element = document.body.appendChild(document.createElement("div"));
  element.append(document.createElement("img"), document.createElement("img"));
  const turn = () => (element.className = screen.orientation.type);
  screen.orientation.addEventListener("change", turn);
  return () => {
    element.remove();
    if (repaired) screen.orientation.removeEventListener("change", turn);
  };
}
window.round = async () => {
  const close = gallery();
  await nextFrame();
  close();
};
