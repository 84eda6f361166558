// uses: codemirror/lib/codemirror.js
// Split views show linked documents, which stay linked when the view is closed.
const shared = CodeMirror.Doc("one\ntwo\nthree", null);
window.round = async () => {
  const box = document.body.appendChild(document.createElement("div"));
  const linked = shared.linkedDoc({ sharedHist: true });
  const view = CodeMirror(box, { value: linked });
  await nextFrame();
  if (repaired) {
    view.swapDoc(CodeMirror.Doc(""));
    shared.unlinkDoc(linked);
  }
  box.remove();
};
