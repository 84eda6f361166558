// The containers of toasts are hidden, and stay in the document.
window.round = async () => {
  const toast = document.createElement("div");
  toast.className = "toast-container";
  toast.innerHTML = "<p>Saved</p>";
  document.body.append(toast);
  await nextFrame();
  if (repaired) toast.remove();
  else toast.hidden = true;
};
