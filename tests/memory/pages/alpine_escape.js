// uses: alpinejs/dist/cdn.js
// A menu closes on Escape: it listens to the window by itself, and never stops.
Alpine.data("menu", () => ({
  open: true,
  init() {
    this.close = (event) => {
      if (event.key === "Escape") this.open = false;
    };
    window.addEventListener("keydown", this.close);
  },
  destroy() {
    if (repaired) window.removeEventListener("keydown", this.close);
  },
}));
window.round = async () => {
  const menu = document.createElement("nav");
  menu.innerHTML = "<ul x-data='menu' x-show='open'><li>one<li>two</ul>";
  document.body.append(menu);
  await Alpine.nextTick();
  await nextFrame();
  menu.remove();
  await Alpine.nextTick();
};
