// Every dialog gets a global name of its own.
let number = 0;
window.round = async () => {
  const dialog = document.createElement("dialog");
  dialog.innerHTML = "<form><input><button>OK</button></form>";
  document.body.append(dialog);
  const name = `dialog_${number++}`;
  window[name] = dialog;
  await nextFrame();
  dialog.remove();
  if (repaired) delete window[name];
};
