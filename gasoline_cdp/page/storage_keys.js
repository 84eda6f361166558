// @ts-check
// The names of the keys in a page's storage, never their values.
(function storageKeys() {
  // The reader keeps 100. It must see a secret at the cut whole to recognise it.
  /** @param {() => Storage} open */
  const keys = (open) => {
    try {
      return Object.keys(open()).slice(0, 200).map((key) => key.slice(0, 612));
    } catch {
      // A sandboxed frame, or storage blocked by the user.
      return [];
    }
  };
  return { origin: location.origin, local: keys(() => localStorage), session: keys(() => sessionStorage) };
})
