// A tooltip watches the body for as long as the page lives.
function showTooltip() {
  const tip = document.createElement("div");
  tip.className = "tooltip";
  tip.innerHTML = "<b>Tip</b>";
  document.body.append(tip);
  const observer = new MutationObserver(() => tip.setAttribute("data-changed", ""));
  observer.observe(document.documentElement, { attributes: true });
  return () => {
    tip.remove();
    if (repaired) observer.disconnect();
  };
}
window.round = async () => {
  const hide = showTooltip();
  await nextFrame();
  hide();
};
