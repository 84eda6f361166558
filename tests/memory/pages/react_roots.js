// uses: react/umd/react.development.js
// uses: react-dom/umd/react-dom.development.js
// Dialogs are rendered into roots of their own, which a set keeps, and which are never unmounted.
const dialogs = new Set();
function Dialog({ rows }) {
  return React.createElement("dialog", { open: true }, rows.map((row) => React.createElement("p", { key: row }, row)));
}
window.round = async () => {
  const place = document.createElement("div");
  document.body.append(place);
  const root = ReactDOM.createRoot(place);
  dialogs.add(root);
  ReactDOM.flushSync(() => root.render(React.createElement(Dialog, { rows: Array.from({ length: 40 }, (_, n) => n) })));
  await nextFrame();
  if (repaired) {
    root.unmount();
    dialogs.delete(root);
  }
  place.remove();
};
