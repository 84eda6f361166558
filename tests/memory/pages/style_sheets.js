// Every widget adopts a style sheet into the document.
class Widget {
  constructor() {
    this.sheet = new CSSStyleSheet();
    this.sheet.replaceSync(".widget { color: red }");
    document.adoptedStyleSheets.push(this.sheet);
  }
  remove() {
    if (!repaired) return;
    const sheets = document.adoptedStyleSheets;
    sheets.splice(sheets.indexOf(this.sheet), 1);
  }
}
window.round = async () => {
  const widget = new Widget();
  await nextFrame();
  widget.remove();
};
