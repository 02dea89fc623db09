(() => {
  const form = document.querySelector("form");
  const range = form.querySelector("[type=range]");
  const types = [...document.querySelectorAll(".innermost-legend input")];
  const marks = [...document.querySelectorAll("mark")];
  const update = () => {
    const shown = new Set(types.filter((type) => type.checked).map((type) => type.value));
    const least = range.value / 100;
    form.querySelector("output").textContent = least.toFixed(2);
    for (const mark of marks) {
      const { type, score } = mark.dataset;
      mark.classList.toggle("off", !shown.has(type) || Number(score) < least);
    }
    const lines = document.getElementById("lines").checked;
    document.body.classList.toggle("innermost-lines", lines);
  };
  form.hidden = false;
  for (const type of types) type.hidden = false;
  document.addEventListener("input", update);
})();
