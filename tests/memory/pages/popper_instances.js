// uses: @popperjs/core/dist/umd/popper.min.js
// A tooltip is taken out of the page, and its placement goes on following the window.
window.round = async () => {
  const button = document.body.appendChild(document.createElement("button"));
  const tip = document.body.appendChild(document.createElement("div"));
  tip.innerHTML = "<p>tip</p>";
  const placed = Popper.createPopper(button, tip);
  await placed.update();
  await nextFrame();
  if (repaired) placed.destroy();
  button.remove();
  tip.remove();
};
