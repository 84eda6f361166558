const settings = /* broken */ null /* fixed: ({ theme: "light" }) */;
import.meta.hot.accept();
document.documentElement.dataset.boot = /* broken */ "broken" /* fixed: "mended" */;
document.documentElement.dataset.theme = settings.theme;
