// What memlab does first with every snapshot: read it, and calculate retained sizes. node memlab_heap.cjs PACKAGES FILE
const {createRequire} = require('node:module');
const path = require('node:path');
const [packages, file] = process.argv.slice(2);
const load = createRequire(path.join(packages, 'node_modules', 'memlab', 'package.json'));
const {utils, analysis, config} = load('@memlab/core');
config.verbose = false;
(async () => {
  const snapshot = await utils.getSnapshotFromFile(file, {buildNodeIdIndex: true});
  analysis.preparePathFinder(snapshot);
  console.log(snapshot.nodes.length);
  process.exit(0);
})();
