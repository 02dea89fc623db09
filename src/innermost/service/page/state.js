// What the page shows, and how: the text, its entities after the filters, and all settings.

/** One object for all modules. */
export const state = {
  models: [], name: "", text: "", answer: null, entities: [], shown: [], roots: [],
  hidden: new Set(), score: 0, depth: Infinity, view: "text", drawing: "boxes",
  selected: null, sort: null,
};

/** The types of the model that found the entities. */
export const types = () => state.models.find((m) => m.name === state.answer?.model)?.types ?? [];

/** The name of the text, for files that are made from it. */
export const fileName = () => state.name.replace(/\.[^.]*$/, "") || "text";

export function setAnswer(text, name, answer) {
  state.text = text;
  state.name = name;
  state.answer = answer;
  state.selected = null;
  state.entities = (answer?.documents[0].entities ?? []).map((entity, index) =>
    ({ ...entity, index, depth: 1 }));
  for (const entity of state.entities)
    if (entity.parent !== null) entity.depth = state.entities[entity.parent].depth + 1;
}

const isShown = (entity) => !state.hidden.has(entity.label) && entity.score >= state.score
  && entity.depth <= state.depth;

/** Applies the filters. The children of a hidden entity go to its parent. */
export function filterEntities() {
  const shown = state.entities.filter(isShown);
  for (const entity of state.entities) entity.children = [];
  const roots = [];
  for (const entity of shown) {
    let outer = entity.parent;
    while (outer !== null && !isShown(state.entities[outer])) outer = state.entities[outer].parent;
    entity.outer = outer === null ? null : state.entities[outer];
    (entity.outer?.children ?? roots).push(entity);
    entity.siblings = entity.outer?.children ?? roots;
  }
  state.shown = shown;
  state.roots = roots;
  if (state.selected && !isShown(state.selected)) state.selected = null;
}

/** The entities around an entity, from the nearest to the outermost. */
export function* around(entity) {
  for (let outer = entity.outer; outer; outer = outer.outer) yield outer;
}

export const textOf = (entity) => state.text.slice(entity.start, entity.end);

export const excerpt = (text, most = 160) => {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > most ? `${line.slice(0, most)}…` : line;
};

/** The name of an entity for screen readers. */
export const spoken = (entity) => [`${excerpt(textOf(entity))}: ${entity.label}`,
  entity.outer && `inside ${entity.outer.label}`, `depth ${entity.depth}`].filter(Boolean).join(", ");
