// uses: gsap/dist/gsap.min.js
// Loaders turn for ever, and nobody stops them when they are removed.
window.round = async () => {
  const loader = document.body.appendChild(document.createElement("div"));
  loader.innerHTML = "<b></b>";
  const turning = gsap.to(loader, { rotation: 360, duration: 2, repeat: -1 });
  await nextFrame();
  if (repaired) turning.kill();
  loader.remove();
};
