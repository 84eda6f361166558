// A search index is built in idle time, and asks for the next one after its view has gone.
function startIndexing() {
  const view = document.createElement("search");
  view.innerHTML = "<input><output></output>";
  document.body.append(view);
  let running = true;
  let indexed = 0;
  function indexSome() {
    if (!running) return;
    view.lastChild.textContent = String((indexed += 1));
    requestIdleCallback(indexSome);
  }
  requestIdleCallback(indexSome);
  return () => {
    view.remove();
    if (repaired) running = false;
  };
}
window.round = async () => {
  const stop = startIndexing();
  await nextFrame();
  stop();
};
