// A game loop requests its next frame for ever.
function startGame() {
  const canvas = document.createElement("canvas");
  const sprites = Array.from({ length: 200 }, (_, x) => ({ x, y: x }));
  document.body.append(canvas);
  let running = true;
  function drawFrame() {
    if (!running) return;
    for (const sprite of sprites) sprite.x += 1;
    canvas.title = String(sprites[0].x);
    requestAnimationFrame(drawFrame);
  }
  requestAnimationFrame(drawFrame);
  return () => {
    canvas.remove();
    if (repaired) running = false;
  };
}
window.round = async () => {
  const stop = startGame();
  await nextFrame();
  stop();
};
