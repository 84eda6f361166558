// Every preview of a font loads it under a name of its own, and never takes it out of the document.
let number = 0;
class Preview {
  constructor() {
    this.name = `preview-${(number += 1)}`;
    this.face = new FontFace(this.name, new ArrayBuffer(2000));
    this.face.loaded.catch(() => {});
    document.fonts.add(this.face);
    this.element = document.createElement("figure");
    this.element.style.fontFamily = this.name;
    document.body.append(this.element);
  }
  remove() {
    this.element.remove();
    if (repaired) document.fonts.delete(this.face);
  }
}
window.round = async () => {
  const preview = new Preview();
  await nextFrame();
  preview.remove();
};
