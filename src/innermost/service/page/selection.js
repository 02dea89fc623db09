// The entity that is pointed at or selected: what lights up, what the bar below says about it, and
// how mouse and keyboard choose it.

import { $, $$, element, elementsOf } from "./dom.js";
import { around, excerpt, state, textOf } from "./state.js";

let lit = [];

/** Lights up an entity, or the selected one, with those around it and inside it. */
export function light(pointed) {
  const entity = pointed ?? state.selected;
  for (const node of lit) node.classList.remove("on", "around", "inside");
  lit = [];
  const mark = (other, name) => {
    for (const node of elementsOf(other)) {
      node.classList.add(name);
      lit.push(node);
    }
  };
  $("#drawn")?.classList.toggle("lit", !!entity);
  describe(entity);
  if (!entity) return;
  mark(entity, "on");
  if (state.view !== "text") return;
  for (const outer of around(entity)) mark(outer, "around");
  const inner = [...entity.children];
  while (inner.length) {
    const child = inner.pop();
    mark(child, "inside");
    inner.push(...child.children);
  }
}

function describe(entity) {
  if (!entity) {
    $("#details").replaceChildren(element("span", { class: "soft" },
      matchMedia("(pointer: coarse)").matches
        ? "Tap an entity to see its score and what it is inside."
        : "Point at an entity, click it, or press Tab and walk with the arrow keys."));
    return;
  }
  const path = [];
  for (const outer of around(entity))
    path.unshift(element("button", { type: "button", title: excerpt(textOf(outer)),
      onclick: () => select(outer, true) }, outer.label), "›");
  $("#details").replaceChildren(
    element("strong", { dir: "auto" }, excerpt(textOf(entity))),
    element("nav", { "aria-label": "Path" }, ...path, element("b", {}, entity.label)),
    element("span", {}, `score ${entity.score.toFixed(4)}`),
    element("span", {}, `depth ${entity.depth}`),
    element("span", { class: "soft" }, `level ${entity.level} of its type`));
}

function select(entity, focus = false) {
  state.selected = entity;
  const isDrawn = () => elementsOf(entity).length > 0;
  if (entity && !isDrawn()) $(".tree, tbody")?.reveal(isDrawn);
  for (const node of $$("#panel [data-index][tabindex='0']")) node.tabIndex = -1;
  const [node] = elementsOf(entity ?? state.shown[0]);
  if (node) node.tabIndex = 0;
  light(null);
  if (entity && node && focus) {
    node.focus({ preventScroll: true });
    node.scrollIntoView({ block: "nearest" });
  }
}

/** The nearest sibling of an entity, or of one around it. */
function neighbor(entity, step) {
  for (let at = entity; at; at = at.outer) {
    const other = at.siblings[at.siblings.indexOf(at) + step];
    if (other) return other;
  }
  return null;
}

function row(entity, step) {
  const [node] = elementsOf(entity);
  const other = step > 0 ? node.nextElementSibling : node.previousElementSibling;
  return other?.dataset.index ? state.entities[other.dataset.index] : null;
}

const walk = {
  parent: (entity) => entity.outer,
  child: (entity) => entity.children[0],
  next: (entity) => neighbor(entity, 1),
  previous: (entity) => neighbor(entity, -1),
  below: (entity) => entity.children[0] ?? walk.next(entity),
  above: (entity) => {
    let at = entity.siblings[entity.siblings.indexOf(entity) - 1];
    while (at?.children.length) at = at.children.at(-1);
    return at ?? entity.outer;
  },
  rowBelow: (entity) => row(entity, 1),
  rowAbove: (entity) => row(entity, -1),
};

const keys = {
  text: { ArrowUp: "parent", ArrowDown: "child", ArrowLeft: "previous", ArrowRight: "next" },
  tree: { ArrowUp: "above", ArrowDown: "below", ArrowLeft: "parent", ArrowRight: "child" },
  table: { ArrowUp: "rowAbove", ArrowDown: "rowBelow" },
};
const mirrored = { ArrowLeft: "ArrowRight", ArrowRight: "ArrowLeft" };

/** The entity that a key leads to from an entity and its element, if any. */
function destination(entity, key, node) {
  if (key === "Home") return state.shown[0];
  if (key === "End") return state.shown.at(-1);
  const isMirrored = getComputedStyle(node).direction === "rtl";
  const move = keys[state.view][(isMirrored && mirrored[key]) || key];
  return walk[move]?.(entity);
}

const entityAt = (target) => {
  const node = target.closest?.("#panel [data-index]");
  return node ? state.entities[node.dataset.index] : null;
};

const panel = $("#panel");
panel.addEventListener("mouseover", (event) => light(entityAt(event.target)));
panel.addEventListener("mouseleave", () => light(null));
panel.addEventListener("click", (event) => {
  // Selecting text does not select an entity.
  if (!getSelection().isCollapsed && getSelection().containsNode(event.target, true)) return;
  const entity = entityAt(event.target);
  if (entity || state.view === "text") select(entity, !!entity);
});
panel.addEventListener("focusin", (event) => {
  const entity = entityAt(event.target);
  if (entity && entity !== state.selected) select(entity);
});
panel.addEventListener("keydown", (event) => {
  const entity = entityAt(event.target);
  if (!entity || event.altKey || event.ctrlKey || event.metaKey) return;
  if (event.key === "Escape") {
    select(null);
    return;
  }
  if (!/^(Arrow|Home|End)/.test(event.key)) return;
  event.preventDefault();
  const target = destination(entity, event.key, event.target);
  if (target) select(target, true);
});
