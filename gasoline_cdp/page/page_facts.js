// @ts-check
// Facts about a document for the performance, search and best-practice checks. Reads only; returns plain data. `svg`:
// addresses known to have returned an SVG, which has no pixels of its own.
(function pageFacts(/** @type {Record<string, number>} */ most, /** @type {string[]} */ svg) {
  /** @param {string} selector @returns {Element[]} */
  const all = (selector) => [...Document.prototype.querySelectorAll.call(document, selector)];
  /** @param {string} selector @param {string} name */
  const attribute = (selector, name) => {
    const element = all(selector)[0];
    return element ? (Element.prototype.getAttribute.call(element, name) ?? "") : null;
  };
  // Images can shadow the properties of their document, and fields those of their form.
  /** @param {string} name */
  const own = (name) => Object.getOwnPropertyDescriptor(Document.prototype, name)?.get?.call(document);
  /** @param {Element} element */
  const html = (element) => {
    const copy = /** @type {Element} */ (Node.prototype.cloneNode.call(element, false));
    return copy.outerHTML.slice(0, most.html);
  };
  // A path that matches only this element, starting at the nearest unique id.
  /** @param {Element} element */
  const selectorOf = (element) => {
    const levels = [];
    /** @type {any} */
    let current = element;
    for (; current instanceof Element; current = parentOf?.call(current)) {
      const id = Element.prototype.getAttribute.call(current, "id");
      if (id && id.length <= 100 && all(`#${CSS.escape(id)}`).length === 1) {
        levels.unshift(`#${CSS.escape(id)}`);
        break;
      }
      const tag = current.localName;
      const alike = [...(parentOf?.call(current)?.childNodes ?? [])].filter((node) => node.localName === tag);
      levels.unshift(CSS.escape(tag) + (alike.length > 1 ? `:nth-of-type(${alike.indexOf(current) + 1})` : ""));
    }
    return levels.join(" > ");
  };
  /** @param {Element} element */
  const shown = (element) => ({ selector: selectorOf(element), html: html(element) });
  /** @param {(element: any) => boolean} fits @param {Element[]} elements @param {(element: Element) => object} [tell] */
  const sample = (elements, fits, tell = shown) => {
    const matches = elements.filter(fits);
    return { count: matches.length, first: matches.slice(0, most.samples).map(tell) };
  };

  const parentOf = Object.getOwnPropertyDescriptor(Node.prototype, "parentNode")?.get;
  const resources = /** @type {any[]} */ (performance.getEntriesByType("resource"));
  const navigation = /** @type {any} */ (performance.getEntriesByType("navigation")[0]);
  const paint = performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? null;
  const images = /** @type {HTMLImageElement[]} */ (all("img")).filter((image) => image instanceof HTMLImageElement);
  const vectors = new Set(svg);
  for (const entry of resources) if (/^image\/svg/i.test(entry.contentType ?? "")) vectors.add(entry.name);
  // An SVG is drawn at any size. Its natural size says nothing about quality, and is often missing.
  /** @param {HTMLImageElement} image */
  const isVector = ({ currentSrc }) =>
    vectors.has(currentSrc) || /^data:image\/svg|^[^?#]*\.svgz?(?:[?#]|$)/i.test(currentSrc);
  const pictures = images.filter((image) => image.complete && image.naturalWidth > 0 && !isVector(image));
  // As the styles specify it, before layout: `auto` if the size comes from the image itself.
  /** @param {Element} element @param {string} name */
  const styled = (element, name) => String(element.computedStyleMap().get(name) ?? "");
  /** @param {HTMLImageElement} image */
  const contentBox = (image) => {
    const style = getComputedStyle(image);
    const [top, right, bottom, left] = ["Top", "Right", "Bottom", "Left"].map(
      (side) => parseFloat(/** @type {any} */ (style)[`padding${side}`]) || 0,
    );
    return { width: image.clientWidth - left - right, height: image.clientHeight - top - bottom };
  };
  /** @type {Map<Node, number>} */
  const depths = new Map();
  let deepest = 0;
  const walker = Document.prototype.createTreeWalker.call(document, document, NodeFilter.SHOW_ELEMENT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const depth = (depths.get(parentOf?.call(node)) ?? 0) + 1;
    depths.set(node, depth);
    deepest = Math.max(deepest, depth);
  }

  const VAGUE = /^(?:click here|here|more|read more|learn more|link|this|start|go)$/i;
  /** @param {Element} element */
  const textOf = (element) => (element.textContent ?? "").replace(/\s+/g, " ").trim().slice(0, 100);

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
    // Far more pixels than are shown, even on a screen of double density.
    oversized: sample(
      pictures,
      (image) => image.clientWidth > 0 && image.naturalWidth > image.clientWidth * Math.max(2, devicePixelRatio) + 50,
      (element) => {
        const image = /** @type {HTMLImageElement} */ (element);
        return {
          selector: selectorOf(image), url: image.currentSrc.slice(0, 2000),
          natural: [image.naturalWidth, image.naturalHeight], shown: [image.clientWidth, image.clientHeight],
        };
      },
    ),
    // Neither attributes nor styles reserve its space. Images that come with the document or are outside the flow move
    // nothing when they arrive; nor do those that never arrive, or tracking pixels.
    unsized: sample(images, (image) =>
      image.clientHeight > 0 && image.currentSrc !== "" && (!image.complete || image.naturalHeight > 5) &&
      !(image.hasAttribute("width") && image.hasAttribute("height")) &&
      (styled(image, "width") === "auto" || styled(image, "height") === "auto") &&
      getComputedStyle(image).aspectRatio === "auto" &&
      !/^(?:data|blob):/i.test(image.currentSrc) &&
      !/^(?:absolute|fixed)$/.test(getComputedStyle(image).position),
    ),
    // In the upper half of the first view, wherever the page is scrolled now.
    lazyInView: sample(images, (image) => {
      const { top, bottom, left, right, width } = image.getBoundingClientRect();
      return image.loading === "lazy" && width > 0 && bottom + scrollY > 0 && top + scrollY < innerHeight / 2 &&
        right + scrollX > 0 && left + scrollX < innerWidth;
    }),
    // By more than a tenth, and by more than the rounding of small images to whole pixels.
    distorted: sample(pictures, (image) => {
      const { width, height } = contentBox(image);
      const natural = image.naturalWidth / image.naturalHeight;
      return getComputedStyle(image).objectFit === "fill" && width > 5 && height > 5 && image.naturalWidth > 5 &&
        Math.abs(width / height / natural - 1) > 0.1 && Math.abs(width - height * natural) > 2 &&
        Math.abs(height - width / natural) > 2;
    }),
    title: own("title").slice(0, 300),
    description: attribute("meta[name=description i]", "content"),
    viewport: attribute("meta[name=viewport i]", "content"),
    robots: attribute("meta[name=robots i]", "content"),
    canonicals: all("link[rel=canonical i]").slice(0, 5).map((link) => Element.prototype.getAttribute.call(link, "href") ?? ""),
    language: attribute(":root", "lang") ?? "",
    headings: all("h1").length,
    // Not links within the page, links that search engines must not follow, or links with a name of their own.
    vagueLinks: sample(
      all("a[href]"),
      (link) => VAGUE.test(textOf(link)) && !/^\s*#|^\s*(?:javascript|mailto|tel):/i.test(link.getAttribute("href")) &&
        !/nofollow/i.test(link.rel) && !link.hasAttribute("aria-label") && !link.hasAttribute("aria-labelledby"),
      (link) => ({ ...shown(link), text: textOf(link) }),
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
