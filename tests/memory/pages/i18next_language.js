// uses: i18next/dist/umd/i18next.min.js
// Labels follow the language of the page for ever.
i18next.init({ lng: "en", resources: { en: { translation: { save: "Save" } } }, showSupportNotice: false });
class Label {
  constructor(key) {
    this.element = document.createElement("label");
    this.element.innerHTML = "<b></b>";
    document.body.append(this.element);
    this.translate = () => {
      this.element.firstChild.textContent = i18next.t(key);
    };
    i18next.on("languageChanged", this.translate);
  }
  remove() {
    this.element.remove();
    if (repaired) i18next.off("languageChanged", this.translate);
  }
}
window.round = async () => {
  const label = new Label("save");
  await nextFrame();
  label.remove();
};
