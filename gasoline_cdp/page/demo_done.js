// @ts-check
// Resolves when the demo page reports that it has done everything.
(function demoDone() {
  const root = document.documentElement;
  return new Promise((resolve) => {
    const check = () => {
      if (root.dataset.demo === "done") {
        observer.disconnect();
        resolve(true);
      }
    };
    const observer = new MutationObserver(check);
    observer.observe(root, { attributes: true });
    check();
  });
})
