// @ts-check
// A summary of the page in a few numbers and names. Reads only; returns plain data. Reads through the prototypes:
// fields can shadow the properties of their form, and images those of their document.
(function pageInfo() {
  // Longer than what the reader keeps: it must see a secret at the cut whole to recognise it.
  const EDGE = 512;
  /** @param {any} prototype @param {string} name @param {any} node */
  const read = (prototype, name, node) => Object.getOwnPropertyDescriptor(prototype, name)?.get?.call(node);
  /** @param {string} name */
  const own = (name) => read(Document.prototype, name, document);
  /** @param {string} selector @returns {Element[]} */
  const all = (selector) => [...Document.prototype.querySelectorAll.call(document, selector)];
  /** @param {Element} element @param {string} name */
  const attribute = (element, name) => Element.prototype.getAttribute.call(element, name);
  /** @param {string | null | undefined} text @param {number} limit */
  const short = (text, limit) => (text || "").replace(/\s+/g, " ").trim().slice(0, limit + EDGE);
  /** @param {Element} element */
  const visible = (element) =>
    Element.prototype.checkVisibility.call(element, { opacityProperty: true, visibilityProperty: true });
  const interactive =
    "a[href], button, input:not([type=hidden]), select, textarea, summary, [role=button], [role=link], " +
    "[role=checkbox], [role=tab], [role=menuitem], [contenteditable=''], [contenteditable=true], [tabindex]";
  const root = own("documentElement");
  /** @type {HTMLFormElement[]} */
  const forms = [...own("forms")];
  const headings = all("h1, h2, h3").filter(visible);
  return {
    url: location.href,
    title: own("title"),
    viewport: { width: innerWidth, height: innerHeight },
    scroll: { x: Math.round(scrollX), y: Math.round(scrollY) },
    documentHeight: root ? read(Element.prototype, "scrollHeight", root) : 0,
    forms: forms.slice(0, 20).map((form) => ({
      id: short(attribute(form, "id"), 80),
      action: attribute(form, "action") || "",
      fields: [...read(HTMLFormElement.prototype, "elements", form)]
        .map((field) => short(attribute(field, "name") || attribute(field, "id"), 60))
        .filter(Boolean)
        .slice(0, 30),
    })),
    formCount: forms.length,
    headings: headings.slice(0, 30).map((heading) => short(heading.textContent, 100)),
    headingCount: headings.length,
    links: own("links").length,
    images: own("images").length,
    interactiveElements: all(interactive).filter(visible).length,
    readyState: own("readyState"),
    language: root ? short(attribute(root, "lang"), 20) : "",
  };
})
