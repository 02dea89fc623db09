// The result: the filters, the tabs, and the panel with one view of the entities.

import { $, $$, element, forgetElements } from "./dom.js";
import { look } from "./labels.js";
import { drawJson, drawTable, drawTree } from "./list_views.js";
import { light } from "./selection.js";
import { filterEntities, state, types } from "./state.js";
import { drawText } from "./text_view.js";

/** Shows the types with their counts, and the chosen limits. */
export function drawFilters() {
  const counts = new Map(types().map((type) => [type, 0]));
  for (const { label } of state.entities) counts.set(label, (counts.get(label) ?? 0) + 1);
  const boxes = [...counts].map(([label, count]) => element("label", {},
    element("input", { type: "checkbox", value: label, checked: !state.hidden.has(label) }),
    element("i", { class: look(label) }), label, " ", element("small", {}, String(count))));
  $("#filters fieldset").replaceChildren($("#filters legend"), ...boxes);
  const deepest = state.entities.reduce((most, { depth }) => Math.max(most, depth), 1);
  $("#depth").max = deepest;
  $("#depth").value = Math.min(state.depth, deepest);
  $("#score").value = Math.round(100 * state.score);
}

/** Updates what the filters say about the shown entities. */
function describeFilters() {
  const all = state.entities.length;
  const shown = state.shown.length;
  $("#count").textContent = shown === all
    ? `${all.toLocaleString("en")} ${all === 1 ? "entity" : "entities"}`
    : `${shown.toLocaleString("en")} of ${all.toLocaleString("en")} entities`;
  $("output[for=score]").textContent = state.score.toFixed(2);
  $("output[for=depth]").textContent = state.depth === Infinity ? "all" : state.depth;
}

export const views = { text: drawText, tree: drawTree, table: drawTable, json: drawJson };

/** Draws everything that depends on the answer and the settings. */
export function update() {
  filterEntities();
  describeFilters();
  for (const tab of $$("#views [role=tab]")) {
    tab.setAttribute("aria-selected", tab.dataset.view === state.view);
    tab.tabIndex = tab.dataset.view === state.view ? 0 : -1;
  }
  $("#drawing").hidden = state.view !== "text";
  forgetElements();
  $("#panel").className = state.drawing === "lines" ? "innermost-lines" : "";
  $("#panel").setAttribute("aria-label", state.view);
  $("#panel").replaceChildren(views[state.view](update));
  light(null);
}

export function setDrawing(drawing) {
  state.drawing = drawing === "lines" ? "lines" : "boxes";
  for (const radio of $$("#drawing input")) radio.checked = radio.value === state.drawing;
}
