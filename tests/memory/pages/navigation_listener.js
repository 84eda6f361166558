// Views hear of navigations, and of going back, long after they were left.
class View {
  constructor() {
    this.element = document.createElement("main");
    this.element.innerHTML = "<h1>View</h1><p></p>";
    document.body.append(this.element);
    this.onNavigate = () => this.element.classList.add("leaving");
    navigation.addEventListener("navigate", this.onNavigate);
  }
  leave() {
    this.element.remove();
    if (repaired) navigation.removeEventListener("navigate", this.onNavigate);
  }
}
window.round = async () => {
  const view = new View();
  await nextFrame();
  view.leave();
};
