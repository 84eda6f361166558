// uses: @tweenjs/tween.js/dist/tween.umd.js
// Spinners turn in a group of animations, and are not taken out of it.
const animations = new TWEEN.Group();
class Spinner {
  constructor() {
    this.element = document.body.appendChild(document.createElement("i"));
    this.state = { angle: 0 };
    this.tween = new TWEEN.Tween(this.state, animations)
      .to({ angle: 360 }, 1000)
      .repeat(Infinity)
      .onUpdate(({ angle }) => (this.element.style.rotate = `${angle}deg`))
      .start();
  }
  remove() {
    this.element.remove();
    this.tween.stop();
    if (repaired) animations.remove(this.tween);
  }
}
window.round = async () => {
  const spinner = new Spinner();
  animations.update();
  await nextFrame();
  spinner.remove();
};
