// One callback per image is kept by element, beside a shared observer.
const loaders = new Map();
const observer = new IntersectionObserver((entries) => {
  for (const entry of entries) loaders.get(entry.target)?.();
});
window.round = async () => {
  const image = document.createElement("img");
  image.alt = "picture";
  document.body.append(image);
  loaders.set(image, () => image.setAttribute("data-loaded", ""));
  observer.observe(image);
  await nextFrame();
  image.remove();
  if (repaired) {
    observer.unobserve(image);
    loaders.delete(image);
  }
};
