// @ts-check
// Resolves when the demo page says that everything it does has happened.
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
