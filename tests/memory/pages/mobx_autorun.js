// uses: mobx/dist/mobx.umd.production.min.js
// A tooltip runs again whenever the settings change, also after it was closed.
const settings = mobx.observable({ theme: "light" });
function showTooltip() {
  const tooltip = document.createElement("div");
  tooltip.className = "tooltip";
  tooltip.innerHTML = "<span>hint</span>";
  document.body.append(tooltip);
  const dispose = mobx.autorun(() => {
    tooltip.dataset.theme = settings.theme;
  });
  return () => {
    tooltip.remove();
    if (repaired) dispose();
  };
}
window.round = async () => {
  const close = showTooltip();
  await nextFrame();
  close();
};
