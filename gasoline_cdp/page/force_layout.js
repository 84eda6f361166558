// @ts-check
// Lays the document out now. Chrome tells where elements are as it last drew them, and nothing of those that came since.
(function forceLayout() {
  Element.prototype.getBoundingClientRect.call(document.documentElement);
})
