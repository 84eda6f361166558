// uses: preact/dist/preact.umd.js
// Mounted components are kept in a list for a debugger that nobody uses.
const { h, render, Component } = preact;
const mounted = [];
class Card extends Component {
  componentDidMount() {
    mounted.push(this);
  }
  componentWillUnmount() {
    if (repaired) mounted.splice(mounted.indexOf(this), 1);
  }
  render() {
    return h("article", { class: "card" }, h("b", null, "card"));
  }
}
window.round = async () => {
  const place = document.body.appendChild(document.createElement("div"));
  render(h(Card), place);
  await nextFrame();
  render(null, place);
  place.remove();
};
