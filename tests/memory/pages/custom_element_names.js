// A plug-in defines an element under a new name for every widget. Definitions stay for ever.
let widgets = 0;
function define() {
  const name = `x-widget-${repaired ? 0 : (widgets += 1)}`;
  if (!customElements.get(name)) {
    customElements.define(
      name,
      class extends HTMLElement {
        connectedCallback() {
          this.innerHTML = "<b>widget</b>";
        }
      },
    );
  }
  return name;
}
window.round = async () => {
  const widget = document.body.appendChild(document.createElement(define()));
  await nextFrame();
  widget.remove();
};
