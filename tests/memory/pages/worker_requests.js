// A worker answers questions. Who asked is remembered by number, and not forgotten after the answer.
const worker = new Worker(URL.createObjectURL(new Blob(["onmessage = ({data}) => postMessage(data)"])));
const requests = new Map();
let last = 0;
worker.onmessage = ({ data }) => {
  requests.get(data).resolve();
  if (repaired) requests.delete(data);
};
class Preview {
  constructor() {
    this.element = document.createElement("figure");
    this.element.innerHTML = "<canvas></canvas><figcaption></figcaption>";
    document.body.append(this.element);
  }
  draw() {
    return new Promise((resolve) => {
      last += 1;
      requests.set(last, { view: this, resolve });
      worker.postMessage(last);
    });
  }
}
window.round = async () => {
  const preview = new Preview();
  await preview.draw();
  preview.element.remove();
};
