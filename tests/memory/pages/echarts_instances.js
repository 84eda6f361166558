// uses: echarts/dist/echarts.min.js
// The card with a chart is removed; the chart is not disposed of.
window.round = async () => {
  const card = document.body.appendChild(document.createElement("div"));
  const chart = echarts.init(card, null, { renderer: "svg", width: 80, height: 60 });
  chart.setOption({
    animation: false,
    xAxis: { data: ["a", "b"] },
    yAxis: {},
    series: [{ type: "bar", data: [1, 2] }],
  });
  await nextFrame();
  if (repaired) chart.dispose();
  card.remove();
};
