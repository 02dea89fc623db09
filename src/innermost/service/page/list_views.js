// The entities as a tree, as a table that any column sorts, and as JSON.

import { element, remember } from "./dom.js";
import { swatch } from "./labels.js";
import { codePoints, toJson } from "./records.js";
import { excerpt, spoken, state, textOf } from "./state.js";

export function drawTree() {
  const tree = element("ul", { class: "tree", role: "tree", "aria-label": "Entities" });
  return lazily(state.roots, tree, item);
}

function item(entity) {
  const line = element("span", {}, swatch(entity.label),
    element("bdi", {}, excerpt(textOf(entity))), " ",
    element("small", {}, `${entity.label} ${entity.score.toFixed(2)}`));
  const node = element("li", { role: "treeitem", "aria-level": entity.depth,
    "aria-label": spoken(entity) }, line);
  remember(entity, node);
  if (entity.children.length) {
    node.setAttribute("aria-expanded", "true");
    node.append(element("ul", { role: "group" }, ...entity.children.map(item)));
  }
  return node;
}

const number = { class: "number" };
const inPoints = (offset, points) => points(offset);
const columns = [
  { name: "Text", value: (e) => excerpt(textOf(e)), attributes: { dir: "auto" } },
  { name: "Type", value: (e) => e.label, picture: swatch },
  { name: "Score", value: (e) => e.score, format: (score) => score.toFixed(4), attributes: number },
  { name: "Depth", value: (e) => e.depth, attributes: number },
  { name: "Level", title: "Depth among entities of the same type", value: (e) => e.level,
    attributes: number },
  { name: "Start", value: (e) => e.start, format: inPoints, attributes: number },
  { name: "End", value: (e) => e.end, format: inPoints, attributes: number },
  { name: "Inside", value: (e) => (e.outer ? excerpt(textOf(e.outer), 60) : "") },
];
const arrows = { ascending: " ↑", descending: " ↓" };

/** `redraw` draws the view again, in another order. */
export function drawTable(redraw) {
  const points = codePoints(state.text);
  const row = (entity) => remember(entity,
    element("tr", {}, ...columns.map((column) => cell(entity, column, points))));
  return element("div", { class: "scroll" }, element("table", {},
    element("caption", { class: "unseen" }, "Entities"),
    element("thead", {}, element("tr", {}, ...columns.map((column) => heading(column, redraw)))),
    lazily(sorted(state.shown), element("tbody"), row)));
}

function sorted(entities) {
  const { sort } = state;
  if (!sort) return entities;
  const { column: { value }, order } = sort;
  const direction = order === "descending" ? -1 : 1;
  const compare = (a, b) => (typeof a === "number" ? a - b : a.localeCompare(b));
  return [...entities].sort((a, b) =>
    direction * compare(value(a), value(b)) || a.index - b.index);
}

function heading(column, redraw) {
  const order = state.sort?.column === column ? state.sort.order : null;
  const sort = () => {
    state.sort = { column, order: order === "ascending" ? "descending" : "ascending" };
    redraw();
  };
  return element("th", { scope: "col", class: column.attributes?.class, "aria-sort": order },
    element("button", { type: "button", title: column.title, onclick: sort },
      column.name, arrows[order] ?? ""));
}

function cell(entity, { value, format, picture, attributes }, points) {
  const content = format ? format(value(entity), points) : value(entity);
  return element("td", attributes, ...(picture ? [picture(entity.label)] : []), String(content));
}

/** In parts that the browser lays out independently. */
export function drawJson() {
  const lines = toJson().split("\n");
  const parts = [];
  for (let i = 0; i < lines.length; i += 200)
    parts.push(element("pre", {}, `${lines.slice(i, i + 200).join("\n")}\n`));
  return element("div", { tabindex: "0", role: "region", "aria-label": "JSON" }, ...parts);
}

/**
 * Adds items while scrolling, so that long lists open immediately. The list gets a method `reveal`
 * that adds items until a condition holds.
 */
function lazily(items, parent, make, step = 200) {
  const sentinel = element(parent.tagName === "TBODY" ? "tr" : "li", { "aria-hidden": "true" });
  let next = 0;
  const more = () => {
    const stop = Math.min(next + step, items.length);
    sentinel.before(...items.slice(next, stop).map(make));
    next = stop;
    if (next === items.length) sentinel.remove();
  };
  parent.append(sentinel);
  more();
  if (next < items.length) {
    const observer = new IntersectionObserver((entries) => {
      if (!sentinel.isConnected) observer.disconnect();
      else if (entries.some((entry) => entry.isIntersecting)) {
        more();
        observer.unobserve(sentinel);
        if (sentinel.isConnected) observer.observe(sentinel);
      }
    }, { rootMargin: "600px" });
    observer.observe(sentinel);
  }
  parent.reveal = (ready) => { while (!ready() && sentinel.isConnected) more(); };
  return parent;
}
