// uses: vue/dist/vue.global.prod.js
// uses: vue-router/dist/vue-router.global.js
// A component registers a guard with the router each time it is shown.
const router = VueRouter.createRouter({
  history: VueRouter.createMemoryHistory(),
  routes: [{ path: "/", component: { template: "<p>home</p>" } }],
});
const Title = {
  data: () => ({ title: "" }),
  mounted() {
    this.stop = router.afterEach((to) => (this.title = to.path));
  },
  beforeUnmount() {
    if (repaired) this.stop();
  },
  template: "<header><h1>{{ title }}</h1></header>",
};
window.round = async () => {
  const place = document.body.appendChild(document.createElement("div"));
  const app = Vue.createApp(Title);
  app.use(router).mount(place);
  await router.isReady();
  await nextFrame();
  app.unmount();
  place.remove();
};
