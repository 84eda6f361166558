// Every view opens the database again, and its connection is never closed.
const open = () =>
  new Promise((done, failed) => {
    const request = indexedDB.open("notes", 1);
    request.onsuccess = () => done(request.result);
    request.onerror = () => failed(request.error);
  });
class Notes {
  constructor(db) {
    this.db = db;
    this.element = document.createElement("section");
    this.element.innerHTML = "<h2>Notes</h2><p>…</p>";
    db.onversionchange = () => this.element.classList.add("old");
    document.body.append(this.element);
  }
  close() {
    this.element.remove();
    if (repaired) this.db.close();
  }
}
window.round = async () => {
  const view = new Notes(await open());
  await nextFrame();
  view.close();
};
