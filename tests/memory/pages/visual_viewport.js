// Sheets follow the keyboard of a phone through the visual viewport.
class Sheet {
  constructor() {
    this.element = document.createElement("footer");
    this.element.innerHTML = "<input><button>Send</button>";
    document.body.append(this.element);
    visualViewport.addEventListener("resize", this);
  }
  handleEvent() {
    this.element.style.height = `${visualViewport.height}px`;
  }
  remove() {
    this.element.remove();
    if (repaired) visualViewport.removeEventListener("resize", this);
  }
}
window.round = async () => {
  const sheet = new Sheet();
  await nextFrame();
  sheet.remove();
};
