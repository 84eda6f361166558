// uses: hotkeys-js/dist/hotkeys-js.umd.cjs
// Every dialog wants to hear of a key, also after it was closed.
function openDialog() {
  const dialog = document.createElement("dialog");
  dialog.innerHTML = "<p>Save?</p><button>Yes</button>";
  document.body.append(dialog);
  const save = () => dialog.querySelector("button").click();
  hotkeys("ctrl+s", save);
  return () => {
    dialog.remove();
    if (repaired) hotkeys.unbind("ctrl+s", save);
  };
}
window.round = async () => {
  const close = openDialog();
  await nextFrame();
  close();
};
