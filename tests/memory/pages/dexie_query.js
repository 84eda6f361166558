// uses: dexie/dist/dexie.min.js
// Lists follow a query of the database, and nobody ends the subscription.
const db = new Dexie("friends");
db.version(1).stores({ friends: "++id" });
class FriendList {
  constructor() {
    this.element = document.createElement("ol");
    this.element.innerHTML = "<li>…</li>";
    document.body.append(this.element);
    this.subscription = Dexie.liveQuery(() => db.friends.toArray()).subscribe((friends) => {
      this.element.title = String(friends.length);
      this.shown?.();
    });
  }
  remove() {
    this.element.remove();
    if (repaired) this.subscription.unsubscribe();
  }
}
window.round = async () => {
  const list = new FriendList();
  await new Promise((resolve) => {
    list.shown = resolve;
  });
  list.remove();
};
