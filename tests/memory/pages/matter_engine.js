// uses: matter-js/build/matter.min.js
// Scoreboards hear of each step of a physics engine, also when the game is over.
const engine = Matter.Engine.create();
class Scoreboard {
  points = Array.from({ length: 100 }, (_, point) => ({ point }));
  constructor() {
    this.element = document.body.appendChild(document.createElement("table"));
    this.element.insertRow().insertCell().textContent = "0";
    this.update = () => (this.element.rows[0].cells[0].textContent = String(this.points.length));
    Matter.Events.on(engine, "afterUpdate", this.update);
  }
  end() {
    this.element.remove();
    if (repaired) Matter.Events.off(engine, "afterUpdate", this.update);
  }
}
window.round = async () => {
  const board = new Scoreboard();
  Matter.Engine.update(engine, 16);
  await nextFrame();
  board.end();
};
