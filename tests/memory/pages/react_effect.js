// uses: react/umd/react.production.min.js
// uses: react-dom/umd/react-dom.production.min.js
// An effect of a React component listens to the window, and returns no clean-up.
const e = React.createElement;
function Dialog({ title }) {
  const [width, setWidth] = React.useState(0);
  const box = React.useRef(null);
  React.useEffect(() => {
    const onResize = () => box.current && setWidth(box.current.offsetWidth);
    window.addEventListener("resize", onResize);
    return repaired ? () => window.removeEventListener("resize", onResize) : undefined;
  }, []);
  return e("div", { className: "dialog", ref: box }, e("h2", null, title), e("p", null, String(width)));
}
function App({ open }) {
  return e("main", null, e("h1", null, "App"), open ? e(Dialog, { title: "Open" }) : null);
}
const container = document.body.appendChild(document.createElement("div"));
const root = ReactDOM.createRoot(container);
const show = (open) => ReactDOM.flushSync(() => root.render(e(App, { open })));
show(false);
window.round = async () => {
  show(true);
  await nextFrame();
  show(false);
  await nextFrame();
};
