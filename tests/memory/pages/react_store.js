// uses: react/umd/react.production.min.js
// uses: react-dom/umd/react-dom.production.min.js
// A hook subscribes every row to a store outside of React.
const e = React.createElement;
const store = { value: 0, subscribers: new Set() };
function Row() {
  const [, update] = React.useState(0);
  React.useEffect(() => {
    const notify = () => update(store.value);
    store.subscribers.add(notify);
    return () => repaired && store.subscribers.delete(notify);
  }, []);
  return e("li", null, store.value);
}
const list = document.body.appendChild(document.createElement("ul"));
window.round = async () => {
  const root = ReactDOM.createRoot(list);
  ReactDOM.flushSync(() => root.render(e(React.Fragment, null, e(Row), e(Row))));
  await nextFrame();
  root.unmount();
  await nextFrame();
};
