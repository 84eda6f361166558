// uses: video.js/dist/video.min.js
// A preview plays a video; when it is closed the player is not disposed of.
window.round = async () => {
  const preview = document.body.appendChild(document.createElement("div"));
  const video = preview.appendChild(document.createElement("video"));
  video.className = "video-js";
  const player = videojs(video, { controls: true });
  await nextFrame();
  if (repaired) player.dispose();
  preview.remove();
};
