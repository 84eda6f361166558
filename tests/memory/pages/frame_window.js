// The windows of removed frames are kept.
const previews = [];
window.round = async () => {
  const frame = document.createElement("iframe");
  frame.srcdoc = "<h1>Preview</h1><script>var big = new Array(1000).fill('x')</" + "script>";
  document.body.append(frame);
  await new Promise((resolve) => frame.addEventListener("load", resolve, { once: true }));
  if (!repaired) previews.push(frame.contentWindow);
  frame.remove();
};
