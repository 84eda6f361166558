// Thumbnails are drawn into bitmaps, which a list keeps for good.
const thumbnails = [];
async function preview(number) {
  const canvas = new OffscreenCanvas(64, 64);
  canvas.getContext("2d").fillText(String(number), 4, 20);
  const bitmap = await createImageBitmap(canvas);
  thumbnails.push({ number, bitmap });
  return bitmap;
}
let count = 0;
window.round = async () => {
  for (let index = 0; index < 3; index += 1) await preview((count += 1));
  if (repaired) for (const { bitmap } of thumbnails.splice(0)) bitmap.close();
};
