// uses: flatpickr/dist/flatpickr.min.js
// Date pickers are not destroyed with the form that they belong to.
window.round = async () => {
  const form = document.body.appendChild(document.createElement("form"));
  const input = form.appendChild(document.createElement("input"));
  const picker = flatpickr(input, { defaultDate: "2026-01-01" });
  await nextFrame();
  if (repaired) picker.destroy();
  form.remove();
};
