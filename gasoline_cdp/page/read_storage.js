// @ts-check
// An origin's storage in this tab: localStorage and sessionStorage as one JSON text (in which unpaired surrogates
// survive), and the names of its databases. The databases' contents are not read.
(async function readStorage(/** @type {number} */ mostDatabases) {
  if (location.origin === "null") return { origin: null };
  /** @param {Storage} storage */
  const all = (storage) => {
    /** @type {[string, string | null][]} */
    const entries = [];
    for (let index = 0; index < storage.length; index++) {
      const name = storage.key(index);
      if (name !== null) entries.push([name, storage.getItem(name)]);
    }
    return entries.sort((one, other) => (one[0] < other[0] ? -1 : 1));
  };
  let local;
  let session;
  try {
    local = all(localStorage);
    session = all(sessionStorage);
  } catch {
    // A sandboxed frame, or storage switched off by the user.
    return { origin: null };
  }
  /** @type {string[]} */
  let databases = [];
  try {
    databases = (await indexedDB.databases()).map((database) => database.name || "");
  } catch {
    // Refused where storage is restricted.
  }
  return {
    origin: location.origin,
    text: JSON.stringify({ local, session }),
    local: local.length,
    session: session.length,
    databases: databases.slice(0, mostDatabases),
    databaseCount: databases.length,
  };
})
