// Counts elements that are in no document, and the trees that they form. `nodes` holds every node of the page's realm.
(nodes, most) => {
  const tags = new Map();
  const roots = new Set();
  let elements = 0;
  const count = Math.min(nodes.length, most);
  for (let index = 0; index < count; index += 1) {
    const node = nodes[index];
    if (node.nodeType !== 1 || node.isConnected) continue;
    let root = node;
    while (root.parentNode || root.host) root = root.parentNode || root.host;
    // What stands in a template, or in a document of a parser, is not meant to be shown.
    if (root.nodeType === 9 || (root.nodeType === 11 && !root.host)) continue;
    elements += 1;
    roots.add(root);
    tags.set(node.localName, (tags.get(node.localName) || 0) + 1);
  }
  const most_frequent = [...tags].sort((one, other) => other[1] - one[1]).slice(0, 5);
  return { elements, trees: roots.size, tags: Object.fromEntries(most_frequent), nodes: nodes.length };
};
