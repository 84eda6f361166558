// Windows are known by their number. A closed one is only hidden from the list.
class WindowManager {
  constructor() {
    this.byNumber = Object.create(null);
    this.next = 1;
  }
  open() {
    const element = document.createElement("section");
    element.innerHTML = "<header>Window</header><main></main>";
    document.body.append(element);
    this.byNumber[`w${this.next}`] = { element, open: true, title: `Window ${this.next}` };
    this.next += 1;
    return `w${this.next - 1}`;
  }
  close(number) {
    this.byNumber[number].element.remove();
    this.byNumber[number].open = false;
    if (repaired) delete this.byNumber[number];
  }
}
const manager = new WindowManager();
window.round = async () => {
  const number = manager.open();
  await nextFrame();
  manager.close(number);
};
