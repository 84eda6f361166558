// Toasts are rendered in a root of their own, which is never disposed of.
let solid, theme, setTheme;
const loaded = import("/node_modules/solid-js/dist/solid.js").then((library) => {
  solid = library;
  [theme, setTheme] = solid.createSignal("light");
});
function toast(text) {
  return solid.createRoot((dispose) => {
    const element = document.createElement("output");
    element.innerHTML = `<p>${text}</p>`;
    solid.createRenderEffect(() => (element.className = theme()));
    document.body.append(element);
    return () => {
      element.remove();
      if (repaired) dispose();
    };
  });
}
window.round = async () => {
  await loaded;
  const close = toast("saved");
  setTheme((old) => (old === "light" ? "dark" : "light"));
  await nextFrame();
  close();
};
