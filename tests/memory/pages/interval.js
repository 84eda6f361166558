// A clock goes on ticking after it was removed.
function showClock() {
  const clock = document.createElement("time");
  clock.append(document.createElement("b"), document.createElement("i"));
  document.body.append(clock);
  const tick = () => {
    clock.firstChild.textContent = String(Date.now());
  };
  const id = setInterval(tick, 60000);
  return () => {
    clock.remove();
    if (repaired) clearInterval(id);
  };
}
window.round = async () => {
  const close = showClock();
  await nextFrame();
  close();
};
