
(() => {
  const form = document.getElementById("filters");
  const articles = [...document.querySelectorAll("article")];
  const texts = articles.map((article) =>
    article.querySelector(".innermost-text").textContent.replace(/\s+/g, " ").toLowerCase());
  const value = (id) => document.getElementById(id).value;
  const has = (list, wanted) => !wanted || list.split("|").includes(wanted);
  const update = () => {
    const words = value("words").trim().toLowerCase();
    let shown = 0;
    articles.forEach((article, i) => {
      const { kinds, types } = article.dataset;
      const match =
        has(kinds, value("kind")) && has(types, value("type")) && texts[i].includes(words);
      article.hidden = !match;
      shown += match;
    });
    document.getElementById("count").textContent =
      `${shown.toLocaleString("en")} of ${articles.length.toLocaleString("en")} sentences shown.`;
  };
  form.hidden = false;
  form.addEventListener("input", update);
  form.addEventListener("submit", (event) => event.preventDefault());
  update();
})();
