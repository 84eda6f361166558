// Every player starts a tone, and never stops it.
const audio = new AudioContext();
class Player {
  constructor() {
    this.element = document.createElement("figure");
    this.element.innerHTML = "<figcaption>tone</figcaption>";
    document.body.append(this.element);
    this.tone = audio.createOscillator();
    this.tone.connect(audio.destination);
    this.tone.onended = () => this.element.classList.add("ended");
    this.tone.start();
  }
  remove() {
    this.element.remove();
    if (!repaired) return;
    this.tone.onended = null;
    this.tone.stop();
    this.tone.disconnect();
  }
}
window.round = async () => {
  const player = new Player();
  await nextFrame();
  player.remove();
};
