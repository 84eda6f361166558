// uses: @preact/signals-core/dist/signals-core.min.js
// Labels follow a signal by an effect that nobody disposes of.
const { signal, effect } = preactSignalsCore;
const language = signal("en");
function label() {
  const element = document.body.appendChild(document.createElement("label"));
  element.append(document.createElement("b"));
  const dispose = effect(() => {
    element.lang = language.value;
  });
  return () => {
    element.remove();
    if (repaired) dispose();
  };
}
window.round = async () => {
  const remove = label();
  language.value = language.value === "en" ? "de" : "en";
  await nextFrame();
  remove();
};
