// uses: vue/dist/vue.global.prod.js
// uses: mitt/dist/mitt.umd.js
// A Vue component listens to a bus, and does not stop when it is unmounted.
const bus = mitt();
const Notice = {
  data: () => ({ text: "none" }),
  mounted() {
    this.heard = (text) => {
      this.text = text;
    };
    bus.on("notice", this.heard);
  },
  unmounted() {
    if (repaired) bus.off("notice", this.heard);
  },
  template: "<section class='notice'><p>{{ text }}</p></section>",
};
window.round = async () => {
  const place = document.body.appendChild(document.createElement("div"));
  const app = Vue.createApp(Notice);
  app.mount(place);
  bus.emit("notice", "hello");
  await nextFrame();
  app.unmount();
  place.remove();
};
