// A widget in a frame listens to the window around it. The frame is removed.
window.round = async () => {
  const frame = document.createElement("iframe");
  frame.srcdoc = `<ul><li>one<li>two</ul><script>
    const rows = new Array(2000).fill("row");
    const hear = () => (document.title = rows.length);
    parent.addEventListener("message", hear);
    window.stop = () => parent.removeEventListener("message", hear);
  </` + "script>";
  document.body.append(frame);
  await new Promise((resolve) => frame.addEventListener("load", resolve, { once: true }));
  if (repaired) frame.contentWindow.stop();
  frame.remove();
};
