// uses: d3/dist/d3.min.js
// A d3 chart animates itself with a timer that is not stopped.
function drawChart() {
  const svg = d3.select(document.body).append("svg").attr("width", 200);
  const bars = svg.selectAll("rect").data(d3.range(20)).join("rect").attr("x", (bar) => bar * 10);
  const timer = d3.interval((elapsed) => bars.attr("height", (bar) => (bar + elapsed) % 50), 50);
  return () => {
    svg.remove();
    if (repaired) timer.stop();
  };
}
window.round = async () => {
  const remove = drawChart();
  await nextFrame();
  remove();
};
