// uses: chart.js/dist/chart.umd.min.js
// Charts are not destroyed before their canvas goes.
window.round = async () => {
  const box = document.body.appendChild(document.createElement("div"));
  const canvas = box.appendChild(document.createElement("canvas"));
  const chart = new Chart(canvas, {
    type: "line",
    data: { labels: [1, 2, 3], datasets: [{ data: [1, 2, 3] }] },
    options: { animation: false },
  });
  await nextFrame();
  if (repaired) chart.destroy();
  box.remove();
};
