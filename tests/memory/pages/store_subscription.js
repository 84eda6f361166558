// Views subscribe to a store; its state is replaced as a whole on every change.
function createStore(state) {
  const listeners = new Set();
  return {
    dispatch(change) {
      state = { ...state, ...change, rows: state.rows.map((row) => ({ ...row })) };
      for (const listener of listeners) listener(state);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
const store = createStore({ rows: Array.from({ length: 50 }, (_, id) => ({ id })) });
function mountView() {
  const list = document.createElement("ol");
  document.body.append(list);
  const unsubscribe = store.subscribe((state) => list.replaceChildren(String(state.rows.length)));
  return () => {
    list.remove();
    if (repaired) unsubscribe();
  };
}
window.round = async () => {
  const unmount = mountView();
  store.dispatch({ at: Date.now() });
  await nextFrame();
  unmount();
};
