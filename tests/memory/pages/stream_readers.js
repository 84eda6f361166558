// Views read a stream of messages that never ends, and leave without cancelling it.
const sources = new Set();
const messages = () => {
  let own;
  return new ReadableStream({
    start: (controller) => sources.add((own = controller)),
    cancel: () => sources.delete(own),
  });
};
class Feed {
  constructor() {
    this.element = document.body.appendChild(document.createElement("ol"));
    this.reader = messages().getReader();
    this.read();
  }
  async read() {
    for (;;) {
      const { done, value } = await this.reader.read();
      if (done) return;
      this.element.append(Object.assign(document.createElement("li"), { textContent: value }));
    }
  }
  async close() {
    this.element.remove();
    if (repaired) await this.reader.cancel();
  }
}
window.round = async () => {
  const feed = new Feed();
  for (const source of sources) source.enqueue("hello");
  await nextFrame();
  await feed.close();
};
