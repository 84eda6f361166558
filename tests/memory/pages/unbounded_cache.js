// Results are cached by their query, and each query is another one.
const resultCache = new Map();
let asked = 0;
function search(query) {
  if (!resultCache.has(query)) {
    resultCache.set(query, { query, hits: Array.from({ length: 100 }, (_, hit) => ({ hit, title: `${query} ${hit}` })) });
    if (repaired && resultCache.size > 2) resultCache.delete(resultCache.keys().next().value);
  }
  return resultCache.get(query);
}
window.round = async () => {
  search(`query ${asked++}`);
  await nextFrame();
};
