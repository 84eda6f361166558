// Calls end for the user; their connections are never closed.
class Call {
  constructor() {
    this.element = document.createElement("section");
    this.element.innerHTML = "<video></video><button>Hang up</button>";
    document.body.append(this.element);
    this.peer = new RTCPeerConnection();
    this.peer.ondatachannel = () => this.element.classList.add("connected");
    this.channel = this.peer.createDataChannel("chat");
  }
  hangUp() {
    this.element.remove();
    if (repaired) this.peer.close();
  }
}
window.round = async () => {
  const call = new Call();
  await nextFrame();
  call.hangUp();
};
