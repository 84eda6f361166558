// @ts-check
// Whether a text can be seen in this document, in whichever case.
(function hasText(/** @type {string} */ text) {
  /** @type {any} */
  const world = globalThis;
  if (!Object.hasOwn(world, "gasolineDom")) return false;
  const { findRoots, parentOf, squeeze } = world.gasolineDom;
  const wanted = squeeze(text).toLowerCase();
  const body = document.body;
  // What is drawn, as a person would copy it; texts in shadow roots are not part of that.
  if (body && squeeze(body.innerText).toLowerCase().includes(wanted)) return true;
  for (const root of findRoots().slice(1)) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const parent = parentOf(node);
      if (!squeeze(/** @type {Text} */ (node).data).toLowerCase().includes(wanted)) continue;
      if (parent instanceof Element && Element.prototype.checkVisibility.call(parent, { visibilityProperty: true })) return true;
    }
  }
  return false;
})
