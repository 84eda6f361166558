// @ts-check
// What a page declares that matters to its security: policies, scripts of others, resources, forms. Reads only.
(function securityFacts() {
  const limit = 200;
  /** @param {string} url */
  const short = (url) => url.slice(0, 500);
  /** @param {string} selector @param {string} attribute @param {string} kind */
  const named = (selector, attribute, kind) =>
    [...document.querySelectorAll(selector)].slice(0, limit).map((element) => ({
      kind,
      url: short(String(Reflect.get(element, attribute) || "")),
    }));
  return {
    policies: [...document.querySelectorAll("head meta[http-equiv='Content-Security-Policy' i]")]
      .map((meta) => (meta.getAttribute("content") || "").slice(0, 4000))
      .slice(0, 5),
    scripts: [...document.scripts]
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
    forms: [...document.forms].slice(0, 50).map((form) => {
      /** @type {HTMLInputElement | null} */
      const password = form.querySelector("input[type=password]");
      const action = form.getAttribute("action");
      return {
        id: (form.getAttribute("id") || "").slice(0, 80),
        action: short(action === null ? location.href : new URL(action, document.baseURI).href),
        // A form without either is one that a script sends.
        method: form.getAttribute("method") || (action === null ? "" : "get"),
        password: password !== null,
        autocomplete: password !== null && !password.getAttribute("autocomplete") ? "missing" : "",
      };
    }),
  };
})
