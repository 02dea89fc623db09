// The page: requests the entities of a text from the service and draws them. Offsets are UTF-16.
// This module connects the controls and starts.

import { $, $$, element } from "./dom.js";
import { copy, download, formats } from "./export.js";
import { setInput } from "./input.js";
import { followLink, makeLink } from "./link.js";
import { attempt, Refusal, tell } from "./messages.js";
import { setDrawing, update } from "./panel.js";
import { loadModels, run, runAfterTyping, useKey } from "./service.js";
import { state } from "./state.js";

const root = document.documentElement;

/** Each with a type that a model for such texts has; the last is for all other models. */
const examples = [
  ["protein", "The human interleukin-2 receptor alpha chain gene promoter is bound by NF-kappa B "
    + "in activated T lymphocytes. Jurkat cells transfected with a GATA-3 expression vector produced "
    + "more IL-5 mRNA than primary CD4+ T cells."],
  ["", "The youngest daughter of the mayor of Bristol waited in the kitchen of the inn behind the "
    + "harbour. Her uncle, a retired captain of the East India Company, had left the village to "
    + "visit the widow of an old friend in the north of Wales."],
];

async function read(file) {
  let text;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
  } catch {
    throw new Refusal(0, `${file.name} is not UTF-8 text.`);
  }
  setInput(text, file.name);
  await run();
}

$("#input").addEventListener("submit", attempt(run));
$("#text").addEventListener("input", runAfterTyping);
$("#text").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) attempt(run)(event);
});
$("#model").addEventListener("change", attempt(run));
$("#open").addEventListener("click", () => $("#file").click());
$("#file").addEventListener("change", attempt(async ({ target }) => {
  const [file] = target.files;
  target.value = "";
  if (file) await read(file);
}));
$("#example").addEventListener("click", attempt(async () => {
  const known = state.models.find(({ name }) => name === $("#model").value)?.types ?? [];
  setInput(examples.find(([type]) => !type || known.includes(type))[1]);
  await run();
}));

let inside = 0;
addEventListener("dragenter", () => root.classList.toggle("dropping", ++inside > 0));
addEventListener("dragleave", () => root.classList.toggle("dropping", --inside > 0));
addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", attempt(async (event) => {
  inside = 0;
  root.classList.remove("dropping");
  const { files } = event.dataTransfer;
  const text = event.dataTransfer.getData("text/plain");
  if (files.length > 1) throw new Refusal(0, "Drop one file at a time.");
  if (files.length) await read(files[0]);
  else if (text) {
    setInput(text);
    await run();
  }
}));

$("#key").addEventListener("submit", attempt(async () => {
  const field = $("#key input");
  useKey(field.value.trim());
  field.value = "";
  await loadModels();
  $("#key").hidden = true;
  tell("");
  await run();
}));

let changed = 0;
$("#filters").addEventListener("submit", (event) => event.preventDefault());
$("#filters").addEventListener("input", () => {
  state.hidden = new Set($$("#filters [type=checkbox]:not(:checked)").map((type) => type.value));
  state.score = Number($("#score").value) / 100;
  state.depth = $("#depth").value === $("#depth").max ? Infinity : Number($("#depth").value);
  cancelAnimationFrame(changed);
  changed = requestAnimationFrame(update);
});
$("#drawing").addEventListener("input", ({ target }) => {
  setDrawing(target.value);
  update();
});
$("#views").addEventListener("click", ({ target }) => {
  if (!target.dataset.view) return;
  state.view = target.dataset.view;
  update();
});
$("#views").addEventListener("keydown", (event) => {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!step) return;
  const tabs = $$("#views [role=tab]");
  const tab = tabs[(tabs.indexOf(event.target) + step + tabs.length) % tabs.length];
  tab.focus();
  tab.click();
});

$("#format").append(...Object.entries(formats).map(([value, { name }]) =>
  element("option", { value }, name)));
$("#copy").addEventListener("click", attempt(copy));
$("#download").addEventListener("click", attempt(download));
$("#link").addEventListener("click", attempt(makeLink));

root.dataset.theme = localStorage.getItem("innermost-theme") ?? "";
$("#theme").addEventListener("click", () => {
  const dark = root.dataset.theme ? root.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  localStorage.setItem("innermost-theme", root.dataset.theme);
});

addEventListener("hashchange", attempt(followLink));

await attempt(async () => {
  await loadModels();
  await followLink();
})();
