// Every failure is the cause of the next one.
let lastError = null;
function fail(step) {
  try {
    throw new Error(`step ${step} failed`, { cause: repaired ? undefined : lastError });
  } catch (error) {
    error.input = Array.from({ length: 200 }, (_, id) => ({ id, step }));
    lastError = error;
  }
}
window.round = async () => {
  for (let step = 0; step < 3; step += 1) fail(step);
  await nextFrame();
};
