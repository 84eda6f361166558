// A small function keeps the large data of its neighbour, since both share a scope.
const formatters = [];
function makeFormatter() {
  const records = Array.from({ length: 500 }, (_, id) => ({ id, name: `name ${id}` }));
  const total = () => records.length;
  const format = (value) => `${value}`;
  formatters.push(format);
  if (repaired) formatters.length = 0;
  return total();
}
window.round = async () => {
  makeFormatter();
  await nextFrame();
};
