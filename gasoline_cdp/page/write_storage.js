// @ts-check
// Replaces localStorage and sessionStorage by what `readStorage` returned, completely or not at all: if the new
// contents do not fit, the old ones come back.
(function writeStorage(/** @type {string} */ text) {
  /** @type {{local: [string, string][], session: [string, string][]}} */
  const wanted = JSON.parse(text);
  /** @type {[Storage, [string, string][]][]} */
  const parts = [
    [localStorage, wanted.local],
    [sessionStorage, wanted.session],
  ];
  // By index: as properties, keys such as "length" and "__proto__" would be missed.
  const old = parts.map(([storage]) =>
    Array.from({ length: storage.length }, (_, index) => storage.key(index) || "").map(
      (name) => /** @type {[string, string]} */ ([name, storage.getItem(name) || ""]),
    ),
  );

  /** @param {Storage} storage @param {[string, string][]} entries */
  const replace = (storage, entries) => {
    storage.clear();
    for (const [name, value] of entries) storage.setItem(name, value);
  };

  try {
    for (const [storage, entries] of parts) replace(storage, entries);
  } catch (error) {
    parts.forEach(([storage], index) => replace(storage, old[index]));
    return { problem: error instanceof DOMException ? error.name : "Error" };
  }
  return { local: localStorage.length, session: sessionStorage.length };
})
