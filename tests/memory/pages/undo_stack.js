// What can be undone is never forgotten.
const editor = { text: "", undo: [] };
window.round = async () => {
  const before = editor.text.repeat(1) + " ".repeat(500);
  editor.undo.push(() => {
    editor.text = before;
  });
  editor.text = `changed ${editor.undo.length}`;
  await nextFrame();
  if (repaired) editor.undo.length = Math.min(editor.undo.length, 2);
};
