// Of each page that was fetched an article is kept, and with it the whole document.
const articles = [];
window.round = async () => {
  const rows = "<p>paragraph</p>".repeat(40);
  const page = new DOMParser().parseFromString(`<nav>menu</nav><article>${rows}</article>`, "text/html");
  const article = page.querySelector("article");
  articles.push(repaired ? article.textContent.length : article);
  if (repaired && articles.length > 3) articles.shift();
};
