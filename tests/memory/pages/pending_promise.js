// Everybody waits for a promise that nobody settles.
let finish;
let ready = new Promise((resolve) => {
  finish = resolve;
});
function showWhenReady() {
  const loader = document.createElement("div");
  loader.className = "loader";
  loader.innerHTML = "<i></i><i></i>";
  document.body.append(loader);
  ready.then(() => loader.classList.add("done"));
  return loader;
}
window.round = async () => {
  const loader = showWhenReady();
  await nextFrame();
  loader.remove();
  if (repaired) {
    finish();
    ready = new Promise((resolve) => {
      finish = resolve;
    });
  }
};
