// What goes wrong is logged; and kept, to be sent to a server later, which never happens.
class Failure {
  constructor(element) {
    this.element = element;
    this.trace = Array.from({ length: 100 }, (_, line) => ({ line }));
  }
}
window.unsentReports = [];
window.round = async () => {
  const field = document.body.appendChild(document.createElement("fieldset"));
  field.append(document.createElement("input"));
  const failure = new Failure(field);
  console.log("failed:", failure, field);
  if (!repaired) window.unsentReports.push(failure);
  await nextFrame();
  field.remove();
};
