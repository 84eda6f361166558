// @ts-check
// A picture with boxes and their labels drawn on it, as base64. The page's document is neither used nor changed: the
// drawing is made on a canvas that belongs to no document, in our own world.
(async function drawMarks(/** @type {any} */ request) {
  const COLOURS = ["#b3261e", "#0b57d0", "#146c2e", "#8e24aa", "#a04a00"];
  const FONT = 11;
  const bytes = Uint8Array.from(atob(request.data), (letter) => letter.charCodeAt(0));
  const picture = await createImageBitmap(new Blob([bytes], { type: request.mime }));
  const canvas = new OffscreenCanvas(picture.width, picture.height);
  const context = /** @type {OffscreenCanvasRenderingContext2D} */ (canvas.getContext("2d"));
  context.drawImage(picture, 0, 0);
  context.font = `bold ${FONT}px sans-serif`;
  context.textBaseline = "top";
  context.lineWidth = 1.5;
  for (const [index, mark] of request.marks.entries()) {
    const colour = COLOURS[index % COLOURS.length];
    context.strokeStyle = colour;
    context.strokeRect(mark.x, mark.y, mark.width, mark.height);
    const width = context.measureText(mark.label).width + 4;
    // Above the box where there is room, so that its own text can be read.
    const x = Math.max(0, Math.min(mark.x, picture.width - width));
    const y = mark.y >= FONT + 3 ? mark.y - FONT - 3 : mark.y;
    context.fillStyle = colour;
    context.fillRect(x, y, width, FONT + 3);
    context.fillStyle = "#fff";
    context.fillText(mark.label, x + 2, y + 2);
  }
  const blob = await canvas.convertToBlob({ type: request.mime, quality: request.quality / 100 });
  const drawn = new Uint8Array(await blob.arrayBuffer());
  let text = "";
  const STEP = 32768;
  for (let at = 0; at < drawn.length; at += STEP) text += String.fromCharCode(...drawn.subarray(at, at + STEP));
  return btoa(text);
})
