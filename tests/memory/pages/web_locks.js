// Editors take a lock and never release it. The editors themselves are collected; their locks stay.
class Draft {
  constructor() {
    this.element = document.createElement("article");
    this.element.innerHTML = "<h2>Draft</h2><p></p>";
    document.body.append(this.element);
    this.held = new Promise((granted) => {
      navigator.locks.request("drafts", { mode: "shared" }, () => {
        granted();
        return new Promise((release) => {
          this.release = () => release(this.element.remove());
        });
      });
    });
  }
}
window.round = async () => {
  const draft = new Draft();
  await draft.held;
  if (repaired) draft.release();
  else draft.element.remove();
  await nextFrame();
};
