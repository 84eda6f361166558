// Formatters are expensive, so they are remembered: by options that are never the same twice.
const formatters = new Map();
let id = 0;
function formatter(options) {
  const key = repaired ? options.currency : JSON.stringify(options);
  if (!formatters.has(key)) {
    const format = new Intl.NumberFormat("de", { style: "currency", currency: options.currency });
    formatters.set(key, { format, used: new Array(50).fill(options) });
  }
  return formatters.get(key).format;
}
window.round = async () => {
  const price = document.body.appendChild(document.createElement("data"));
  id += 1;
  price.textContent = formatter({ currency: "EUR", id }).format(12.5);
  await nextFrame();
  price.remove();
};
