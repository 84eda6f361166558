// A menu listens for clicks outside of it. It removes another function than it added.
class Menu {
  open() {
    this.element = document.createElement("nav");
    this.element.innerHTML = "<a href='#a'>A</a><a href='#b'>B</a>";
    document.body.append(this.element);
    this.bound = this.onOutsideClick.bind(this);
    document.addEventListener("click", this.bound);
  }
  onOutsideClick(event) {
    if (!this.element.contains(event.target)) this.close();
  }
  close() {
    this.element.remove();
    document.removeEventListener("click", repaired ? this.bound : this.onOutsideClick.bind(this));
  }
}
window.round = async () => {
  const menu = new Menu();
  menu.open();
  await nextFrame();
  menu.close();
};
