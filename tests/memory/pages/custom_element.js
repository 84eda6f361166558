// A custom element listens to the document, and has no disconnectedCallback.
class LiveCounter extends HTMLElement {
  connectedCallback() {
    this.attachShadow({ mode: "open" }).innerHTML = "<p>0</p><slot></slot>";
    this.onKey = () => {
      this.shadowRoot.firstChild.textContent += "1";
    };
    document.addEventListener("keydown", this.onKey);
  }
  disconnectedCallback() {
    if (repaired) document.removeEventListener("keydown", this.onKey);
  }
}
customElements.define("live-counter", LiveCounter);
window.round = async () => {
  const counter = document.createElement("live-counter");
  document.body.append(counter);
  await nextFrame();
  counter.remove();
};
