// uses: socket.io-client/dist/socket.io.min.js
// Every chat window listens to the one socket of the page.
const socket = io("http://127.0.0.1:9", { autoConnect: false });
class ChatWindow {
  constructor() {
    this.element = document.createElement("dialog");
    this.element.innerHTML = "<ul></ul><input>";
    document.body.append(this.element);
    this.onMessage = (text) => this.element.firstChild.append(text);
    socket.on("message", this.onMessage);
  }
  close() {
    this.element.remove();
    if (repaired) socket.off("message", this.onMessage);
  }
}
window.round = async () => {
  const chat = new ChatWindow();
  await nextFrame();
  chat.close();
};
