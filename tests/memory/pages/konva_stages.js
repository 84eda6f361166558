// uses: konva/konva.min.js
// The box of a drawing is removed, but the drawing is not destroyed.
window.round = async () => {
  const box = document.body.appendChild(document.createElement("div"));
  const stage = new Konva.Stage({ container: box, width: 40, height: 30 });
  const layer = new Konva.Layer();
  stage.add(layer);
  layer.add(new Konva.Circle({ x: 20, y: 15, radius: 5, fill: "red" }));
  layer.draw();
  await nextFrame();
  if (repaired) stage.destroy();
  box.remove();
};
