// @ts-check
// What the performance, search and best-practice checks want to know of a document. Reads only; returns plain data.
(function pageFacts(/** @type {Record<string, number>} */ most) {
  /** @param {string} selector @returns {Element[]} */
  const all = (selector) => [...Document.prototype.querySelectorAll.call(document, selector)];
  /** @param {string} selector @param {string} name */
  const attribute = (selector, name) => {
    const found = all(selector)[0];
    return found ? (Element.prototype.getAttribute.call(found, name) ?? "") : null;
  };
  // Images can hide the properties of their document, and fields those of their form.
  /** @param {string} name */
  const own = (name) => Object.getOwnPropertyDescriptor(Document.prototype, name)?.get?.call(document);
  /** @param {Element} element */
  const html = (element) => {
    const copy = /** @type {Element} */ (Node.prototype.cloneNode.call(element, false));
    return copy.outerHTML.slice(0, most.html);
  };
  /** @param {(element: any) => boolean} fits @param {Element[]} elements */
  const sample = (elements, fits) => {
    const found = elements.filter(fits);
    return { count: found.length, first: found.slice(0, most.samples).map(html) };
  };

  const resources = /** @type {any[]} */ (performance.getEntriesByType("resource"));
  const navigation = /** @type {any} */ (performance.getEntriesByType("navigation")[0]);
  const paint = performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? null;
  const images = /** @type {HTMLImageElement[]} */ (all("img")).filter((image) => image instanceof HTMLImageElement);
  const parentOf = Object.getOwnPropertyDescriptor(Node.prototype, "parentNode")?.get;
  /** @type {Map<Node, number>} */
  const depths = new Map();
  let deepest = 0;
  const walker = Document.prototype.createTreeWalker.call(document, document, NodeFilter.SHOW_ELEMENT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const depth = (depths.get(parentOf?.call(node)) ?? 0) + 1;
    depths.set(node, depth);
    deepest = Math.max(deepest, depth);
  }

  return {
    url: location.href,
    protocol: location.protocol,
    host: location.hostname,
    readyState: own("readyState"),
    paint,
    redirects: navigation?.redirectCount ?? 0,
    elements: depths.size,
    deepest,
    blocking: resources
      .filter((entry) => entry.renderBlockingStatus === "blocking")
      .slice(0, most.resources)
      .map((entry) => ({
        url: entry.name.slice(0, 2000), type: entry.initiatorType, duration: entry.duration, end: entry.responseEnd,
        size: entry.transferSize,
      })),
    // Far more pixels than are shown, even on a screen of twice the density.
    oversized: images
      .filter((image) => image.clientWidth > 0 && image.naturalWidth > image.clientWidth * Math.max(2, devicePixelRatio) + 50)
      .slice(0, most.samples)
      .map((image) => ({
        url: image.currentSrc.slice(0, 2000), html: html(image), natural: [image.naturalWidth, image.naturalHeight],
        shown: [image.clientWidth, image.clientHeight],
      })),
    unsized: sample(images, (image) => {
      const style = getComputedStyle(image);
      return !(image.hasAttribute("width") && image.hasAttribute("height")) && style.aspectRatio === "auto" &&
        !(image.style.width && image.style.height) && image.clientHeight > 0;
    }),
    lazyInView: sample(images, (image) => image.loading === "lazy" && image.getBoundingClientRect().top < innerHeight / 2),
    distorted: sample(images, (image) => {
      const shown = image.clientWidth / image.clientHeight;
      const natural = image.naturalWidth / image.naturalHeight;
      return getComputedStyle(image).objectFit === "fill" && image.clientWidth > 5 && image.naturalWidth > 5 &&
        Math.abs(shown / natural - 1) > 0.1;
    }),
    title: own("title").slice(0, 300),
    description: attribute("meta[name=description i]", "content"),
    viewport: attribute("meta[name=viewport i]", "content"),
    robots: attribute("meta[name=robots i]", "content"),
    canonicals: all("link[rel=canonical i]").slice(0, 5).map((link) => Element.prototype.getAttribute.call(link, "href") ?? ""),
    language: attribute(":root", "lang") ?? "",
    headings: all("h1").length,
    vagueLinks: sample(all("a[href]"), (link) =>
      /^(?:click here|here|more|read more|learn more|link|this|start|go)$/i.test((link.textContent ?? "").trim()),
    ),
    uncrawlable: sample(all("a"), (link) => {
      const href = Element.prototype.getAttribute.call(link, "href");
      return href !== null && /^javascript:/i.test(href);
    }),
    doctype: own("doctype") !== null,
    quirks: own("compatMode") === "BackCompat",
    charset: own("characterSet"),
    passwordFields: all("input[type=password i]").length,
    insecureForms: sample(all("form[action]"), (form) =>
      /^http:/i.test(Element.prototype.getAttribute.call(form, "action") ?? ""),
    ),
    pasteBlocked: sample(all("input[onpaste]"), (field) => /return false|preventDefault/.test(field.getAttribute("onpaste"))),
  };
})
