// uses: lottie-web/build/player/lottie.js
// An animation is shown while something loads; its box is removed, the player goes on.
const shape = {
  ty: "gr",
  it: [
    { ty: "rc", p: { a: 0, k: [20, 20] }, s: { a: 0, k: [10, 10] }, r: { a: 0, k: 0 } },
    { ty: "fl", c: { a: 0, k: [1, 0, 0, 1] }, o: { a: 0, k: 100 } },
    { ty: "tr", p: { a: 0, k: [0, 0] }, a: { a: 0, k: [0, 0] }, s: { a: 0, k: [100, 100] }, r: { a: 0, k: 0 }, o: { a: 0, k: 100 } },
  ],
};
const still = { o: { a: 0, k: 100 }, r: { a: 0, k: 0 }, p: { a: 0, k: [0, 0, 0] }, a: { a: 0, k: [0, 0, 0] }, s: { a: 0, k: [100, 100, 100] } };
const animationData = () => ({
  v: "5.7.0", fr: 30, ip: 0, op: 60, w: 40, h: 40, assets: [],
  layers: [{ ind: 1, ty: 4, sr: 1, ks: still, ao: 0, shapes: [structuredClone(shape)], ip: 0, op: 60, st: 0, bm: 0 }],
});
window.round = async () => {
  const container = document.body.appendChild(document.createElement("div"));
  const player = lottie.loadAnimation({ container, renderer: "svg", loop: true, animationData: animationData() });
  await nextFrame();
  if (repaired) player.destroy();
  container.remove();
};
