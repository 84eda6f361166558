// A scheduler runs generators step by step. What never ends is never taken out.
const running = new Set();
function* blink(element) {
  try {
    while (true) {
      element.hidden = !element.hidden;
      yield;
    }
  } finally {
    element.remove();
  }
}
window.round = async () => {
  const cursor = document.body.appendChild(document.createElement("span"));
  cursor.append(document.createElement("i"));
  const task = blink(cursor);
  running.add(task);
  for (const one of running) one.next();
  await nextFrame();
  cursor.remove();
  if (repaired) running.delete(task);
};
