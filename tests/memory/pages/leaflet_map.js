// uses: leaflet/dist/leaflet.js
// A map is taken out of the document without map.remove().
window.round = async () => {
  const place = document.body.appendChild(document.createElement("div"));
  place.style.height = "200px";
  const map = L.map(place).setView([51, 0], 5);
  L.circleMarker([51, 0]).addTo(map).bindPopup("Here").openPopup();
  await nextFrame();
  if (repaired) map.remove();
  place.remove();
};
