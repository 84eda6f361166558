// Every message is kept as text.
class Telemetry {
  #lines = [];
  add(line) {
    this.#lines.push(line);
    if (repaired && this.#lines.length > 2) this.#lines.shift();
  }
}
const telemetry = new Telemetry();
let sequence = 0;
window.round = async () => {
  telemetry.add(JSON.stringify({ sequence: sequence++, text: "x".repeat(2000) }));
  await nextFrame();
};
