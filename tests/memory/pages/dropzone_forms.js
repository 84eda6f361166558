// uses: dropzone/dist/min/dropzone.min.js
// Files can be dropped on a form. The form goes, its drop zone stays.
Dropzone.autoDiscover = false;
window.round = async () => {
  const form = document.createElement("form");
  form.action = "/upload";
  form.innerHTML = "<p>Drop files here</p>";
  document.body.append(form);
  const zone = new Dropzone(form, { url: "/upload" });
  await nextFrame();
  if (repaired) zone.destroy();
  form.remove();
};
