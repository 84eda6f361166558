// Views wait for the next message of a queue in a loop that never ends.
const waiting = [];
const nextMessage = () => new Promise((resolve) => waiting.push(resolve));
function tell(message) {
  for (const resolve of waiting.splice(0)) resolve(message);
}
class Feed {
  constructor() {
    this.element = document.createElement("ul");
    this.element.innerHTML = "<li>start</li>";
    document.body.append(this.element);
    this.open = true;
    this.follow();
  }
  async follow() {
    while (this.open) this.element.title = await nextMessage();
  }
  close() {
    this.element.remove();
    this.open = !repaired;
  }
}
window.round = async () => {
  const feed = new Feed();
  await nextFrame();
  feed.close();
  tell("news");
  await nextFrame();
};
