// uses: redux/dist/redux.min.js
// A badge subscribes to the store, and forgets what it got to unsubscribe.
const store = Redux.createStore((state = { count: 0 }, action) =>
  action.type === "add" ? { count: state.count + 1 } : state,
);
class Badge {
  constructor() {
    this.element = document.createElement("span");
    this.element.innerHTML = "<b>0</b>";
    document.body.append(this.element);
    this.unsubscribe = store.subscribe(() => {
      this.element.firstChild.textContent = String(store.getState().count);
    });
  }
  remove() {
    this.element.remove();
    if (repaired) this.unsubscribe();
  }
}
window.round = async () => {
  const badge = new Badge();
  store.dispatch({ type: "add" });
  await nextFrame();
  badge.remove();
};
