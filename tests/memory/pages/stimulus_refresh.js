// uses: @hotwired/stimulus/dist/stimulus.umd.js
// A controller refreshes its element from time to time, also when it is disconnected.
const application = Stimulus.Application.start();
application.register(
  "prices",
  class extends Stimulus.Controller {
    connect() {
      this.timer = setInterval(() => (this.element.textContent = `${Date.now()} €`), 30000);
    }
    disconnect() {
      if (repaired) clearInterval(this.timer);
    }
  },
);
window.round = async () => {
  const prices = document.createElement("div");
  prices.innerHTML = "<p data-controller='prices'>none</p>";
  document.body.append(prices);
  await nextFrame();
  prices.remove();
  await nextFrame();
};
