// @ts-check
// What a page has loaded so far, from its performance entries. Reads only; returns plain data.
(function loadedBefore(/** @type {number} */ limit) {
  /** @type {any[]} */
  const entries = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
  return {
    origin: performance.timeOrigin,
    entries: entries.slice(-limit).map((entry) => ({
      url: entry.entryType === "navigation" ? location.href : entry.name,
      initiator: entry.entryType === "navigation" ? "navigation" : entry.initiatorType,
      start: entry.startTime,
      duration: entry.responseEnd > 0 ? entry.responseEnd - entry.startTime : entry.duration,
      status: entry.responseStatus || 0,
      mime: entry.contentType || "",
      protocol: entry.nextHopProtocol || "",
      encoded: entry.transferSize || entry.encodedBodySize || 0,
      decoded: entry.decodedBodySize || 0,
      cached: entry.deliveryType === "cache",
    })),
  };
})
