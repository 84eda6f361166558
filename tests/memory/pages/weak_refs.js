// What was shown is remembered by weak references, and nobody sweeps away those that are empty.
const remembered = [];
class Row {
  constructor() {
    this.cells = Array.from({ length: 40 }, (_, index) => ({ index }));
  }
}
window.round = async () => {
  for (let count = 0; count < 20; count += 1) remembered.push(new WeakRef(new Row()));
  await nextFrame();
  if (repaired) remembered.length = 0;
};
