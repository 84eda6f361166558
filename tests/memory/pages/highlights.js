// Every search marks what it found under a name of its own.
let searches = 0;
window.round = async () => {
  const text = document.body.appendChild(document.createElement("p"));
  text.textContent = "needle in a haystack";
  const range = new Range();
  range.selectNodeContents(text);
  const name = `search-${(searches += 1)}`;
  CSS.highlights.set(name, new Highlight(range));
  await nextFrame();
  text.remove();
  if (repaired) CSS.highlights.delete(name);
};
