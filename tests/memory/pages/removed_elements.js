// Removed elements stay in an array.
window.removedCards = [];
window.round = async () => {
  const card = document.createElement("article");
  card.className = "card";
  card.innerHTML = "<h3>Title</h3><p>Text</p><button>Buy</button>";
  document.body.append(card);
  await nextFrame();
  card.remove();
  if (!repaired) window.removedCards.push(card);
};
