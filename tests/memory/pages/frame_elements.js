// Frames are put aside to be shown again, but never are.
const put_aside = new Set();
window.round = async () => {
  const frame = document.createElement("iframe");
  frame.srcdoc = "<h1>Help</h1><p>text</p>";
  document.body.append(frame);
  await new Promise((resolve) => frame.addEventListener("load", resolve, { once: true }));
  frame.remove();
  put_aside.add(frame);
  if (repaired) put_aside.clear();
};
