// A theme follows a media query with a listener per view.
const dark = matchMedia("(prefers-color-scheme: dark)");
function mountThemed() {
  const view = document.createElement("figure");
  view.innerHTML = "<figcaption>themed</figcaption>";
  document.body.append(view);
  const apply = () => view.classList.toggle("dark", dark.matches);
  dark.addEventListener("change", apply);
  return () => {
    view.remove();
    if (repaired) dark.removeEventListener("change", apply);
  };
}
window.round = async () => {
  const unmount = mountThemed();
  await nextFrame();
  unmount();
};
