// Results are kept for ever, and each has a key of its own.
// A bundler would replace this.
globalThis.process = { env: { NODE_ENV: "production" } };
let client;
const loaded = import("/node_modules/@tanstack/query-core/build/modern/index.js").then(({ QueryClient }) => {
  client = new QueryClient({ defaultOptions: { queries: { gcTime: repaired ? 0 : Infinity } } });
});
let turn = 0;
window.round = async () => {
  await loaded;
  turn += 1;
  const rows = await client.fetchQuery({
    queryKey: ["search", turn],
    queryFn: async () => Array.from({ length: 200 }, (_, id) => ({ id, text: `row ${id}` })),
  });
  const list = document.body.appendChild(document.createElement("ul"));
  list.append(...rows.slice(0, 5).map((row) => Object.assign(document.createElement("li"), { textContent: row.text })));
  await nextFrame();
  list.remove();
};
