// uses: vue/dist/vue.global.js
// A plain class watches shared state of Vue, outside of any component, so nothing ever stops it.
const theme = Vue.ref("light");
class Toolbar {
  constructor() {
    this.element = document.createElement("menu");
    this.element.innerHTML = "<button>one</button><button>two</button>";
    this.stop = Vue.watch(theme, (now) => (this.element.className = now));
    document.body.append(this.element);
  }
  remove() {
    this.element.remove();
    if (repaired) this.stop();
  }
}
window.round = async () => {
  const toolbar = new Toolbar();
  await nextFrame();
  toolbar.remove();
};
