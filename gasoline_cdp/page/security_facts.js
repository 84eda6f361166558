// @ts-check
// Facts about a page's security: policies, third-party scripts, resources, forms. Reads only.
(function securityFacts() {
  const limit = 200;
  /** @param {string} url */
  const short = (url) => url.slice(0, 500);
  // Images can shadow the properties of their document, and fields those of their form.
  /** @param {string} selector @returns {any[]} */
  const all = (selector) => [...Document.prototype.querySelectorAll.call(document, selector)];
  /** @param {Element} element @param {string} name */
  const attributeOf = (element, name) => Element.prototype.getAttribute.call(element, name);
  const base = Object.getOwnPropertyDescriptor(Node.prototype, "baseURI")?.get?.call(document);
  /** @param {string} selector @param {string} attribute @param {string} kind */
  const named = (selector, attribute, kind) =>
    all(selector).slice(0, limit).map((element) => ({
      kind,
      url: short(String(Reflect.get(element, attribute) || "")),
    }));
  return {
    policies: all("head meta[http-equiv='Content-Security-Policy' i]")
      .map((meta) => (meta.getAttribute("content") || "").slice(0, 4000))
      .slice(0, 5),
    scripts: all("script")
      .filter((script) => script.src)
      .slice(0, limit)
      .map((script) => ({ src: short(script.src), integrity: Boolean(script.integrity) })),
    resources: [
      ...named("script[src]", "src", "script"),
      ...named("iframe[src]", "src", "iframe"),
      ...named("link[rel~=stylesheet][href]", "href", "style"),
      ...named("img[src]", "src", "image"),
      ...named("video[src], audio[src], source[src]", "src", "media"),
    ],
    forms: all("form").slice(0, 50).map((form) => {
      const password = Element.prototype.querySelector.call(form, "input[type=password]");
      const action = attributeOf(form, "action");
      return {
        id: (attributeOf(form, "id") || "").slice(0, 80),
        action: short(action === null ? location.href : new URL(action, base).href),
        // A form with neither is submitted by a script.
        method: attributeOf(form, "method") || (action === null ? "" : "get"),
        password: password !== null,
        autocomplete: password !== null && !attributeOf(password, "autocomplete") ? "missing" : "",
      };
    }),
  };
})
