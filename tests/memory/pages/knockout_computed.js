// uses: knockout/build/output/knockout-latest.js
// Dialogs compute what they show from a value of the page, and do not dispose of the computation.
const unread = ko.observable(1);
class Inbox {
  constructor() {
    this.element = document.createElement("section");
    this.element.innerHTML = "<h2>Inbox</h2><p></p>";
    document.body.append(this.element);
    this.title = ko.computed(() => {
      this.element.firstChild.textContent = `Inbox (${unread()})`;
    });
  }
  close() {
    this.element.remove();
    if (repaired) this.title.dispose();
  }
}
window.round = async () => {
  const inbox = new Inbox();
  unread(unread() + 1);
  await nextFrame();
  inbox.close();
};
