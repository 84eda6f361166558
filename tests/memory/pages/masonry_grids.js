// uses: masonry-layout/dist/masonry.pkgd.js
// A gallery arranges its pictures; the grid is not destroyed with the gallery.
window.round = async () => {
  const gallery = document.body.appendChild(document.createElement("div"));
  gallery.innerHTML = "<figure>1</figure><figure>2</figure><figure>3</figure>";
  const grid = new Masonry(gallery, { itemSelector: "figure", columnWidth: 50 });
  await nextFrame();
  if (repaired) grid.destroy();
  gallery.remove();
};
