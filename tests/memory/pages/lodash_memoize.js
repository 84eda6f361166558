// uses: lodash/lodash.min.js
// A memoized function remembers the result of every argument.
let number = 0;
const layout = _.memoize((key) => ({ key, boxes: _.range(200).map((box) => ({ box })) }));
window.round = async () => {
  layout(`page ${number++}`);
  await nextFrame();
  if (repaired) layout.cache.clear();
};
