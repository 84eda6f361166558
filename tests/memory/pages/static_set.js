// A class remembers every window that was ever opened.
class FloatingWindow {
  static all = new Set();
  constructor() {
    this.frame = document.createElement("article");
    this.frame.innerHTML = "<header>title</header><main>text</main>";
    document.body.append(this.frame);
    FloatingWindow.all.add(this);
  }
  close() {
    this.frame.remove();
    if (repaired) FloatingWindow.all.delete(this);
  }
}
window.round = async () => {
  const one = new FloatingWindow();
  await nextFrame();
  one.close();
};
