// A worker is started for every job, and never ended.
const code = URL.createObjectURL(new Blob(["onmessage = (event) => postMessage(event.data * 2)"]));
window.jobs = [];
window.round = async () => {
  const worker = new Worker(code);
  const result = await new Promise((resolve) => {
    worker.onmessage = (event) => resolve(event.data);
    worker.postMessage(21);
  });
  if (repaired) worker.terminate();
  else window.jobs.push({ worker, result });
};
