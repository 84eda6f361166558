// uses: @xterm/xterm/lib/xterm.js
// Terminals are disposed of, and stay in the list of sessions.
const sessions = new Map();
let number = 0;
window.round = async () => {
  const id = `session-${(number += 1)}`;
  const box = document.body.appendChild(document.createElement("div"));
  const terminal = new Terminal({ rows: 5, cols: 20 });
  terminal.open(box);
  sessions.set(id, { terminal, opened: Date.now() });
  await new Promise((done) => terminal.write("hello", done));
  terminal.dispose();
  box.remove();
  if (repaired) sessions.delete(id);
};
