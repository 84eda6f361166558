// uses: pubsub-js/src/pubsub.js
// Toasts subscribe to a topic each time they are shown.
class Toast {
  constructor() {
    this.element = document.createElement("output");
    this.element.innerHTML = "<p>Saved</p>";
    document.body.append(this.element);
    this.token = PubSub.subscribe("toast.close", () => this.element.remove());
  }
  remove() {
    this.element.remove();
    if (repaired) PubSub.unsubscribe(this.token);
  }
}
window.round = async () => {
  const toast = new Toast();
  await nextFrame();
  toast.remove();
};
