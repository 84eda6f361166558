// @ts-check
// What the page is about, in a few numbers and names. Reads only; returns plain data.
(function pageInfo() {
  // Beyond what the reader keeps: it must see a secret at the edge whole to recognise it.
  const EDGE = 512;
  /** @param {string | null | undefined} text @param {number} limit */
  const short = (text, limit) => (text || "").replace(/\s+/g, " ").trim().slice(0, limit + EDGE);
  /** @param {Element} element */
  const visible = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const interactive =
    "a[href], button, input:not([type=hidden]), select, textarea, summary, [role=button], [role=link], " +
    "[role=checkbox], [role=tab], [role=menuitem], [contenteditable=''], [contenteditable=true], [tabindex]";
  const root = document.documentElement;
  const forms = [...document.forms];
  const headings = [...document.querySelectorAll("h1, h2, h3")].filter(visible);
  return {
    url: location.href,
    title: document.title,
    viewport: { width: innerWidth, height: innerHeight },
    scroll: { x: Math.round(scrollX), y: Math.round(scrollY) },
    documentHeight: root ? root.scrollHeight : 0,
    forms: forms.slice(0, 20).map((form) => ({
      id: short(form.getAttribute("id"), 80),
      action: form.getAttribute("action") || "",
      fields: [...form.elements]
        .map((field) => short(field.getAttribute("name") || field.id, 60))
        .filter(Boolean)
        .slice(0, 30),
    })),
    formCount: forms.length,
    headings: headings.slice(0, 30).map((heading) => short(heading.textContent, 100)),
    headingCount: headings.length,
    links: document.links.length,
    images: document.images.length,
    interactiveElements: [...document.querySelectorAll(interactive)].filter(visible).length,
    readyState: document.readyState,
    language: root ? short(root.lang, 20) : "",
  };
})
