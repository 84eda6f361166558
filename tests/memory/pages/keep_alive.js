// uses: vue/dist/vue.global.prod.js
// Documents stay alive when another is shown: one more for each document that was ever opened.
const Editor = { props: ["id"], template: "<article><h1>{{ id }}</h1><textarea></textarea></article>" };
const current = Vue.ref(0);
const App = {
  setup: () => ({ current, most: repaired ? 2 : undefined }),
  components: { Editor },
  template: "<KeepAlive :max='most'><Editor :key='current' :id='current' /></KeepAlive>",
};
Vue.createApp(App).mount(document.body.appendChild(document.createElement("div")));
window.round = async () => {
  current.value += 1;
  await Vue.nextTick();
  await nextFrame();
};
