// What DevTools' own heap-snapshot worker says of snapshots: node by node as binary files, the rest as JSON.
//
//   node devtools_heap.mjs WORKER DIRECTORY SNAPSHOT...      all of it, for each; and the last compared with the first
//   node devtools_heap.mjs WORKER - SNAPSHOT                 only the classes, as a benchmark
import {createReadStream, mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {MessageChannel, Worker} from 'node:worker_threads';

const [workerFile, directory, ...files] = process.argv.slice(2);

/** A worker as DevTools uses it: calls to objects that live in there. */
class Peer {
  #worker = new Worker(pathToFileURL(workerFile));
  #calls = new Map();
  #lastCall = 0;

  async ready() {
    await new Promise((resolve, reject) => {
      this.#worker.once('message', resolve);
      this.#worker.once('error', reject);
    });
    this.#worker.on('message', ({callId, result, error}) => {
      const call = this.#calls.get(callId);
      if (!call) return;
      this.#calls.delete(callId);
      if (error) call.reject(new Error(error));
      else call.resolve(result);
    });
  }

  ask(disposition, rest, transfer = []) {
    const callId = ++this.#lastCall;
    return new Promise((resolve, reject) => {
      this.#calls.set(callId, {resolve, reject});
      this.#worker.postMessage({callId, disposition, ...rest}, transfer);
    });
  }

  end() {
    return this.#worker.terminate();
  }
}

/** The worker with one snapshot read: object 2. */
async function read(file) {
  const [peer, second] = [new Peer(), new Peer()];
  await Promise.all([peer.ready(), second.ready()]);
  const loader = (methodName, ...methodArguments) => peer.ask('method', {objectId: 1, methodName, methodArguments});
  await peer.ask('createLoader', {objectId: 1});
  for await (const chunk of createReadStream(file, {encoding: 'utf-8', highWaterMark: 1024 * 1024})) {
    await loader('write', chunk);
  }
  await loader('close');
  const channel = new MessageChannel();
  await second.ask('setupForSecondaryInit', {objectId: 1}, [channel.port2]);
  const made = {objectId: 1, methodName: 'buildSnapshot', methodArguments: [], newObjectId: 2};
  await peer.ask('factory', made, [channel.port1]);
  await second.end();
  return peer;
}

const call = (peer, methodName, ...methodArguments) => peer.ask('method', {objectId: 2, methodName, methodArguments});
const get = (peer, methodName) => peer.ask('getter', {objectId: 2, methodName});

async function dump(peer, into) {
  mkdirSync(into, {recursive: true});
  const save = (name, array) => writeFileSync(join(into, name), new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
  save('distance.i32', await get(peer, 'nodeDistances'));
  save('dominator.u32', await get(peer, 'dominatorsTree'));
  save('retained.f64', await get(peer, 'retainedSizes'));
  save('detachedness.u32', await get(peer, 'detachednessAndClassIndexArray'));
  save('nodes.u32', await get(peer, 'nodes'));
  save('retainers.u32', await get(peer, 'retainingEdges'));
  const aggregates = await call(peer, 'aggregatesWithFilter', {});
  for (const aggregate of Object.values(aggregates)) delete aggregate.idxs;
  const duplicates = await call(peer, 'getDuplicateStrings');
  const strings = duplicates.map(({value, count, totalSelfSize, totalRetainedSize}) => ({value, count, totalSelfSize, totalRetainedSize}));
  const contexts = await call(peer, 'analyzeContexts');
  writeFileSync(join(into, 'answers.json'), JSON.stringify({
    aggregates,
    strings,
    contexts,
    statistics: await call(peer, 'getStatistics'),
    interfaces: JSON.parse(await call(peer, 'interfaceDefinitions')),
  }));
}

if (directory === '-') {
  const peer = await read(files[0]);
  const aggregates = await call(peer, 'aggregatesWithFilter', {});
  console.log(Object.keys(aggregates).length);
} else {
  const peers = [];
  for (const [index, file] of files.entries()) {
    const peer = await read(file);
    await dump(peer, join(directory, String(index)));
    if (index === 0 || index === files.length - 1) peers.push(peer);
    else await peer.end();
  }
  if (peers.length === 2) {
    const base = await call(peers[0], 'aggregatesForDiff', await call(peers[1], 'interfaceDefinitions'));
    const diff = await call(peers[1], 'calculateSnapshotDiff', 'base', base);
    for (const row of Object.values(diff)) {
      for (const long of Object.keys(row).filter(key => Array.isArray(row[key]))) delete row[long];
    }
    writeFileSync(join(directory, 'diff.json'), JSON.stringify(diff));
  }
}
process.exit(0);
