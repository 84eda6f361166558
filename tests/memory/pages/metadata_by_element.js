// Data about elements is kept in a Map, where a WeakMap belongs.
const metadata = repaired ? new WeakMap() : new Map();
window.round = async () => {
  const node = document.createElement("aside");
  node.innerHTML = "<p>note</p>";
  document.body.append(node);
  metadata.set(node, { opened: performance.now(), history: new Array(200).fill(0).map((_, at) => ({ at })) });
  await nextFrame();
  node.remove();
};
