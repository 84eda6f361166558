// uses: underscore/underscore-umd-min.js
// uses: backbone/backbone-min.js
// Views listen to the settings, and are taken out of the document with `$el.remove()` only.
const settings = new Backbone.Model({ theme: "light" });
class SettingsView {
  constructor() {
    Object.assign(this, Backbone.Events);
    this.element = document.createElement("aside");
    this.element.innerHTML = "<h4>Settings</h4>";
    document.body.append(this.element);
    this.listenTo(settings, "change:theme", this.render);
  }
  render() {
    this.element.className = settings.get("theme");
  }
  remove() {
    this.element.remove();
    if (repaired) this.stopListening();
  }
}
window.round = async () => {
  const view = new SettingsView();
  settings.set("theme", settings.get("theme") === "light" ? "dark" : "light");
  await nextFrame();
  view.remove();
};
