// uses: vue/dist/vue.global.prod.js
// uses: vuex/dist/vuex.global.prod.js
// A component follows a store, and does not stop when it is unmounted.
const store = Vuex.createStore({ state: { count: 0 }, mutations: { add: (state) => (state.count += 1) } });
const Basket = {
  data: () => ({ total: 0 }),
  created() {
    this.stop = store.subscribe((mutation, state) => (this.total = state.count));
  },
  unmounted() {
    if (repaired) this.stop();
  },
  template: "<aside class='basket'><b>{{ total }}</b></aside>",
};
window.round = async () => {
  const place = document.body.appendChild(document.createElement("div"));
  const app = Vue.createApp(Basket);
  app.use(store).mount(place);
  store.commit("add");
  await nextFrame();
  app.unmount();
  place.remove();
};
