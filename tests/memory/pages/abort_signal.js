// Every request listens to the signal of the whole page.
const page = new AbortController();
function startRequest(signal) {
  const state = { body: new Array(1000).fill("x"), aborted: false };
  const onAbort = () => {
    state.aborted = true;
  };
  signal.addEventListener("abort", onAbort);
  return () => signal.removeEventListener("abort", onAbort);
}
window.round = async () => {
  const done = startRequest(page.signal);
  await nextFrame();
  if (repaired) done();
};
