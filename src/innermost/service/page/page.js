// The page: requests the entities of a text from the service and draws them. Offsets are UTF-16.

const $ = (selector, root = document) => root.querySelector(selector);
const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];

function element(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (value === true) node.setAttribute(key, "");
    else if (value !== false && value != null) node.setAttribute(key, value);
  }
  node.append(...children);
  return node;
}

const state = {
  models: [], name: "text", text: "", answer: null, entities: [], shown: [],
  hidden: new Set(), score: 0, depth: Infinity, view: "text", drawing: "boxes",
  selected: null, sort: null,
};

// ---------------------------------------------------------------- the service

let key = sessionStorage.getItem("innermost-key") ?? "";

class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

async function ask(path, options = {}) {
  const headers = key ? { Authorization: `Bearer ${key}` } : {};
  if (options.body) headers["Content-Type"] = "application/json";
  let response;
  try {
    response = await fetch(path, { ...options, headers });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refusal(0, "The service is not responding. Is it still running?");
  }
  const body = await response.json().catch(() => null);
  if (response.ok && body) return body;
  const wait = response.headers.get("Retry-After");
  const message = body?.error ?? `The service responded with status ${response.status} and no message.`;
  throw new Refusal(response.status, wait ? `${message} (try again in ${wait} s)` : message);
}

async function askWhenReady(path) {
  for (;;) {
    try {
      return await ask(path);
    } catch (error) {
      if (error.status !== 503) throw error;
      tell(error.message, true);
      await new Promise((wake) => setTimeout(wake, 1000));
      tell("");
    }
  }
}

async function loadModels() {
  const { models } = await askWhenReady("v1/models");
  state.models = models;
  $("#model").replaceChildren(...models.map((model) =>
    element("option", { value: model.name, selected: model.default }, model.name)));
}

let pending = null;

async function run() {
  clearTimeout(typing);
  pending?.abort();
  const text = $("#text").value;
  tell("");
  if (!text.trim()) {
    show(text, null);
    return;
  }
  pending = new AbortController();
  const { signal } = pending;
  $("#status").textContent = "Reading…";
  try {
    if (!state.models.length) await loadModels();
    const body = JSON.stringify({ texts: [text], model: $("#model").value, offsets: "utf16" });
    const started = performance.now();
    const answer = await ask("v1/extract", { method: "POST", body, signal });
    show(text, answer);
    $("#status").textContent = `${Math.round(performance.now() - started)} ms`;
  } catch (error) {
    if (error.name !== "AbortError") complain(error);
  }
}

function complain(error) {
  $("#status").textContent = "";
  $("#key").hidden = error.status !== 401;
  tell(error.message ?? String(error));
  if (!(error instanceof Refusal)) console.error(error);
}

function tell(message, note = false) {
  const box = $("#error");
  box.textContent = message;
  box.classList.toggle("note", note);
  box.hidden = !message;
}

const attempt = (action) => async (event) => {
  event?.preventDefault?.();
  try {
    await action(event);
  } catch (error) {
    complain(error);
  }
};

// ---------------------------------------------------------------- entities and filters

function show(text, answer) {
  state.text = text;
  state.answer = answer;
  state.selected = null;
  state.entities = (answer?.documents[0].entities ?? []).map((entity, index) =>
    ({ ...entity, index, depth: 1 }));
  for (const entity of state.entities)
    if (entity.parent !== null) entity.depth = state.entities[entity.parent].depth + 1;
  $("#result").hidden = !answer;
  if (answer) {
    drawFilters();
    update();
    if (!state.entities.length) {
      const others = state.models.map((m) => m.name).filter((name) => name !== answer.model);
      const hint = others.length ? ` Other models: ${others.join(", ")}.` : "";
      tell(`${answer.model} found no entities in this text.${hint}`, true);
    }
  }
}

const types = () => state.models.find((m) => m.name === state.answer?.model)?.types ?? [];

function look(label) {
  const known = types();
  const place = known.includes(label) ? known.indexOf(label) : known.length;
  return `c${place % 8} p${place % 5}`;
}

function drawFilters() {
  const counts = new Map(types().map((type) => [type, 0]));
  for (const { label } of state.entities) counts.set(label, (counts.get(label) ?? 0) + 1);
  const boxes = [...counts].map(([label, count]) => element("label", {},
    element("input", { type: "checkbox", value: label, checked: !state.hidden.has(label) }),
    element("i", { class: look(label) }), label, " ", element("small", {}, String(count))));
  $("#filters fieldset").replaceChildren($("#filters legend"), ...boxes);
  const deepest = Math.max(1, ...state.entities.map((entity) => entity.depth).slice(0, 1e5));
  $("#depth").max = deepest;
  $("#depth").value = Math.min(state.depth, deepest);
  $("#score").value = Math.round(100 * state.score);
}

function update() {
  const isShown = (entity) => !state.hidden.has(entity.label) && entity.score >= state.score
    && entity.depth <= state.depth;
  const shown = state.entities.filter(isShown);
  // The children of a hidden entity go to its parent.
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
  const all = state.entities.length;
  $("#count").textContent = shown.length === all
    ? `${all.toLocaleString("en")} ${all === 1 ? "entity" : "entities"}`
    : `${shown.length.toLocaleString("en")} of ${all.toLocaleString("en")} entities`;
  $("output[for=score]").textContent = state.score.toFixed(2);
  $("output[for=depth]").textContent = state.depth === Infinity ? "all" : state.depth;
  for (const tab of $$("#views [role=tab]")) {
    tab.setAttribute("aria-selected", tab.dataset.view === state.view);
    tab.tabIndex = tab.dataset.view === state.view ? 0 : -1;
  }
  $("#drawing").hidden = state.view !== "text";
  elements.clear();
  $("#panel").className = state.drawing === "lines" ? "innermost-lines" : "";
  $("#panel").setAttribute("aria-label", state.view);
  $("#panel").replaceChildren(views[state.view]());
  light(null);
}

// ---------------------------------------------------------------- how entities nest
// The same rules as rendering/nesting.py and rendering/boxes.py; tests keep them consistent.

/** Properly nested pieces that cover the entities: sorted by start, outer before inner. */
function pieces(entities) {
  const result = [], around = [];
  const open = (entity, start) => {
    const piece = { start, end: entity.end, entity, depth: around.length };
    result.push(piece);
    around.push(piece);
  };
  const close = (before) => {
    while (around.length) {
      const end = around.reduce((least, piece) => Math.min(least, piece.entity.end), Infinity);
      if (end > before) return;
      const inner = around.splice(around.findIndex((piece) => piece.entity.end === end));
      for (const piece of inner) {
        piece.end = end;
        if (piece.entity.end > end) open(piece.entity, end);
      }
    }
  };
  for (const entity of entities) {
    close(entity.start);
    open(entity, entity.start);
  }
  close(Infinity);
  return result;
}

/** A lane for each entity, 0 nearest to the text, above the lanes of all entities that it overlaps. */
function setLanes(entities) {
  for (let index = entities.length - 1; index >= 0; index--) {
    const entity = entities[index];
    entity.lane = 0;
    for (let i = index + 1; i < entities.length && entities[i].start < entity.end; i++)
      entity.lane = Math.max(entity.lane, entities[i].lane + 1);
  }
}

/** Parts of the text that are laid out independently; no entity spans two of them. */
function chunks(text, entities) {
  const result = [];
  let start = 0, covered = 0, index = 0;
  for (let position = 399; position < text.length; position++) {
    const size = position + 1 - start;
    const sign = text[position];
    if (size < 400 || (sign !== "\n" && (size < 8000 || sign !== " "))) continue;
    while (index < entities.length && entities[index].start <= position)
      covered = Math.max(covered, entities[index++].end);
    if (covered <= position + 1) {
      result.push([start, position + 1]);
      start = position + 1;
    }
  }
  if (start < text.length || !result.length) result.push([start, text.length]);
  return result;
}

const pen = document.createElement("canvas").getContext("2d");
const labelWidths = new Map();

function shortLabel(label) {
  const line = label.replace(/[\p{C}\p{Z}\s]+/gu, " ").trim();
  const signs = [...line];
  return signs.length <= 20 ? line : `${signs.slice(0, 19).join("")}…`;
}

/** The widths of a label and of the part of the box with the label, in ems of the text. */
function labelWidth(label) {
  if (!labelWidths.has(label)) {
    pen.font = "600 66px system-ui, sans-serif";
    const words = pen.measureText(shortLabel(label)).width / 100;
    labelWidths.set(label, { words, whole: Math.round(100 * (words + 0.84)) / 100 });
  }
  return labelWidths.get(label);
}

/** Boxes have no label if those around them fill the line. */
function labelClasses(nested) {
  const taken = [];
  return nested.map((piece) => {
    taken.length = piece.depth;
    const before = taken.at(-1) ?? 0;
    const needed = before + labelWidth(piece.entity.label).whole + 0.45;
    const deep = needed > 18;
    taken.push(deep ? before : needed);
    return deep ? "deep" : piece.depth && needed > 8.5 ? "inner" : "";
  });
}

const cssString = (text) =>
  `"${text.replace(/["\\<>&\p{C}]/gu, (sign) => `\\${sign.codePointAt(0).toString(16)} `)}"`;
const xml = (text) => text.replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Cs}/gu, "\ufffd")
  .replace(/[&<>"]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign]);

/** A label is an image in the background of its box, repeated on every line. */
function labelRules(labels) {
  return labels.map((label) => {
    const { words, whole } = labelWidth(label);
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${100 * whole}" height="100">`
      + `<text x="${50 * whole}" y="73" font-size="66" font-weight="600" text-anchor="middle" `
      + `font-family="system-ui,sans-serif" textLength="${(100 * words).toFixed(1)}" `
      + `lengthAdjust="spacingAndGlyphs">${xml(shortLabel(label))}</text></svg>`;
    return `.innermost-text mark[data-type=${cssString(label)}]{--w:${whole}em;`
      + `--label:url("data:image/svg+xml,${encodeURIComponent(svg)}")}`;
  }).join("\n");
}

const labelSheet = new CSSStyleSheet();
document.adoptedStyleSheets = [labelSheet];

// ---------------------------------------------------------------- the text

/** The elements of each entity in the current view. */
const elements = new Map();

function remember(entity, node) {
  node.dataset.index = entity.index;
  if (elements.has(entity)) elements.get(entity).push(node);
  else elements.set(entity, [node]);
  node.tabIndex = elements.size === 1 && elements.get(entity)[0] === node ? 0 : -1;
  return node;
}

const spoken = (entity) => [entity.label, entity.outer && `inside ${entity.outer.label}`,
  `level ${entity.depth}`].filter(Boolean).join(", ");

function drawText() {
  const { text, shown } = state;
  labelSheet.replaceSync(labelRules([...new Set(shown.map((entity) => entity.label))]));
  setLanes(shown);
  const nested = pieces(shown);
  const labels = labelClasses(nested);
  const drawn = element("div", { class: "innermost-text", lang: "", role: "group", id: "drawn",
    "aria-label": "Text with entities", "aria-describedby": "keys" });
  let next = 0;
  for (const [start, end] of chunks(text, shown)) {
    const chunk = element("span", { dir: "auto" });
    const open = [{ node: chunk, end }];
    let position = start, tallest = 0;
    const advance = (to) => {
      if (to > position) open.at(-1).node.append(text.slice(position, to));
      position = to;
    };
    const close = (before) => {
      while (open.length > 1 && open.at(-1).end <= before) {
        advance(open.at(-1).end);
        open.pop();
      }
    };
    for (; next < nested.length && nested[next].start < end; next++) {
      const piece = nested[next];
      close(piece.start);
      advance(piece.start);
      const mark = box(piece, labels[next]);
      open.at(-1).node.append(mark);
      open.push({ node: mark, end: piece.end });
      tallest = Math.max(tallest, piece.entity.lane);
    }
    close(end);
    advance(end);
    chunk.className = `u${Math.min(tallest, 24)}`;
    chunk.style.containIntrinsicSize = `auto ${Math.ceil((end - start) / 70) * (2.2 + 0.3 * tallest)}em`;
    drawn.append(chunk);
  }
  return drawn;
}

function box({ start, end, entity }, label) {
  const classes = [look(entity.label), `u${Math.min(entity.lane, 24)}`];
  if (start > entity.start) classes.push("cut-start");
  if (end < entity.end) classes.push("cut-end");
  if (label) classes.push(label);
  if (0.5 * (end - start) < 0.7 * labelWidth(entity.label).whole) classes.push("tight");
  if (/^(?=.*-)[!-~]{2,12}$/.test(state.text.slice(start, end))) classes.push("word");
  return remember(entity, element("mark", {
    class: classes.join(" "), "data-type": entity.label, role: "group",
    "aria-label": spoken(entity),
  }));
}

// ---------------------------------------------------------------- tree, table, JSON

/** Adds items while scrolling, so that long lists open immediately. */
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

const excerpt = (text, most = 160) => {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > most ? `${line.slice(0, most)}…` : line;
};
const textOf = (entity) => state.text.slice(entity.start, entity.end);
const swatch = (entity) => element("i", { class: look(entity.label), "aria-hidden": "true" });

function drawTree() {
  const item = (entity) => {
    const line = element("span", {}, swatch(entity),
      element("bdi", {}, excerpt(textOf(entity))), " ",
      element("small", {}, `${entity.label} ${entity.score.toFixed(2)}`));
    const node = element("li", { role: "treeitem", "aria-level": entity.depth,
      "aria-label": `${excerpt(textOf(entity))}: ${spoken(entity)}` }, line);
    remember(entity, node);
    if (entity.children.length) {
      node.setAttribute("aria-expanded", "true");
      node.append(element("ul", { role: "group" }, ...entity.children.map(item)));
    }
    return node;
  };
  const tree = element("ul", { class: "tree", role: "tree", "aria-label": "Entities" });
  return lazily(state.roots, tree, item);
}

const columns = [
  ["Text", (e) => excerpt(textOf(e))], ["Type", (e) => e.label], ["Score", (e) => e.score],
  ["Depth", (e) => e.depth], ["Level", (e) => e.level, "Depth among entities of the same type"], ["Start", (e) => e.start],
  ["End", (e) => e.end], ["Inside", (e) => (e.outer ? excerpt(textOf(e.outer), 60) : "")],
];
const numeric = (number) => (number >= 2 && number <= 6 ? "number" : null);

function drawTable() {
  const { sort } = state;
  const rows = [...state.shown];
  if (sort) {
    const value = columns[sort.column][1];
    const compare = (a, b) => (typeof a === "number" ? a - b : a.localeCompare(b));
    rows.sort((a, b) => (sort.down ? -1 : 1) * compare(value(a), value(b)) || a.index - b.index);
  }
  const points = codePoints(state.text);
  const head = columns.map(([name, , title], number) => element("th", {
    scope: "col", class: numeric(number),
    "aria-sort": sort?.column === number ? (sort.down ? "descending" : "ascending") : null,
  }, element("button", { type: "button", title, onclick: () => {
    state.sort = { column: number, down: sort?.column === number && !sort.down };
    update();
  } }, name, sort?.column === number ? (sort.down ? " ↓" : " ↑") : "")));
  const row = (entity) => remember(entity, element("tr", {}, ...columns.map(([, value], number) => {
    let content = value(entity);
    if (number === 2) content = content.toFixed(4);
    if (number === 5 || number === 6) content = points(content);
    return element("td", { class: numeric(number), dir: number ? null : "auto" },
      ...(number === 1 ? [swatch(entity)] : []), String(content));
  })));
  return element("div", { class: "scroll" }, element("table", {},
    element("caption", { class: "unseen" }, "Entities"),
    element("thead", {}, element("tr", {}, ...head)), lazily(rows, element("tbody"), row)));
}

function drawJson() {
  const lines = toJson().split("\n");
  const parts = [];
  for (let i = 0; i < lines.length; i += 200)
    parts.push(element("pre", {}, `${lines.slice(i, i + 200).join("\n")}\n`));
  return element("div", { tabindex: "0", role: "region", "aria-label": "JSON" }, ...parts);
}

const views = { text: drawText, tree: drawTree, table: drawTable, json: drawJson };

// ---------------------------------------------------------------- pointing, selecting, walking

let lit = [];

function light(pointed) {
  const entity = pointed ?? state.selected;
  for (const node of lit) node.classList.remove("on", "around", "inside");
  lit = [];
  const mark = (other, name) => {
    for (const node of elements.get(other) ?? []) {
      node.classList.add(name);
      lit.push(node);
    }
  };
  $("#drawn")?.classList.toggle("lit", !!entity);
  describe(entity);
  if (!entity) return;
  mark(entity, "on");
  if (state.view !== "text") return;
  for (let outer = entity.outer; outer; outer = outer.outer) mark(outer, "around");
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
      matchMedia("(pointer: coarse)").matches ? "Tap an entity to see its score and what it is inside."
        : "Point at an entity, click it, or press Tab and walk with the arrow keys."));
    return;
  }
  const path = [];
  for (let outer = entity.outer; outer; outer = outer.outer) {
    const target = outer;
    path.unshift(element("button", { type: "button", title: excerpt(textOf(outer)),
      onclick: () => select(target, true) }, outer.label), "›");
  }
  $("#details").replaceChildren(
    element("strong", { dir: "auto" }, excerpt(textOf(entity))),
    element("nav", { "aria-label": "Path" }, ...path, element("b", {}, entity.label)),
    element("span", {}, `score ${entity.score.toFixed(4)}`),
    element("span", {}, `depth ${entity.depth}`),
    element("span", { class: "soft" }, `level ${entity.level} of its type`));
}

function select(entity, focus = false) {
  state.selected = entity;
  if (entity && !elements.has(entity)) $(".tree, tbody")?.reveal(() => elements.has(entity));
  for (const node of $$("#panel [data-index][tabindex='0']")) node.tabIndex = -1;
  const node = elements.get(entity ?? state.shown[0])?.[0];
  if (node) node.tabIndex = 0;
  light(null);
  if (entity && node && focus) {
    node.focus({ preventScroll: true });
    node.scrollIntoView({ block: "nearest" });
  }
}

const entityAt = (target) => {
  const node = target.closest?.("#panel [data-index]");
  return node ? state.entities[node.dataset.index] : null;
};

const walk = {
  parent: (entity) => entity.outer,
  child: (entity) => entity.children[0],
  next: (entity) => {
    for (let at = entity; at; at = at.outer) {
      const after = at.siblings[at.siblings.indexOf(at) + 1];
      if (after) return after;
    }
    return null;
  },
  previous: (entity) => {
    for (let at = entity; at; at = at.outer) {
      const before = at.siblings[at.siblings.indexOf(at) - 1];
      if (before) return before;
    }
    return null;
  },
  below: (entity) => entity.children[0] ?? walk.next(entity),
  above: (entity) => {
    let at = entity.siblings[entity.siblings.indexOf(entity) - 1];
    while (at?.children.length) at = at.children.at(-1);
    return at ?? entity.outer;
  },
  row: (entity, step) => {
    const row = elements.get(entity)[0];
    const other = step > 0 ? row.nextElementSibling : row.previousElementSibling;
    return other?.dataset.index ? state.entities[other.dataset.index] : null;
  },
};

function step(entity, name, node) {
  if (name === "Home") return state.shown[0];
  if (name === "End") return state.shown.at(-1);
  if (state.view === "table")
    return { ArrowUp: () => walk.row(entity, -1), ArrowDown: () => walk.row(entity, 1) }[name]?.();
  if (getComputedStyle(node).direction === "rtl")
    name = { ArrowLeft: "ArrowRight", ArrowRight: "ArrowLeft" }[name] ?? name;
  const moves = state.view === "tree"
    ? { ArrowUp: "above", ArrowDown: "below", ArrowLeft: "parent", ArrowRight: "child" }
    : { ArrowUp: "parent", ArrowDown: "child", ArrowLeft: "previous", ArrowRight: "next" };
  return walk[moves[name]]?.(entity);
}

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
  const target = step(entity, event.key, event.target);
  if (target) select(target, true);
});

// ---------------------------------------------------------------- export

/** Offsets of a text counted in code points, as in Python and in all files. */
function codePoints(text) {
  const pairs = [];
  for (let i = 0; i < text.length; i++) {
    if (text.codePointAt(i) > 0xffff) pairs.push(++i);
  }
  return (offset) => {
    let low = 0, high = pairs.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (pairs[middle] < offset) low = middle + 1;
      else high = middle;
    }
    return offset - low;
  };
}

function records() {
  const points = codePoints(state.text);
  const places = new Map(state.shown.map((entity, place) => [entity, place]));
  return state.shown.map((entity) => ({
    start: points(entity.start), end: points(entity.end), label: entity.label,
    text: textOf(entity), level: entity.level, score: entity.score,
    parent: entity.outer ? places.get(entity.outer) : null,
  }));
}

function toJson() {
  const { model, version } = state.answer;
  const entities = records().map((record) => `    ${JSON.stringify(record)}`);
  return `{\n  "model": ${JSON.stringify(model)},\n  "version": ${JSON.stringify(version)},\n`
    + `  "text": ${JSON.stringify(state.text)},\n  "entities": [`
    + `${entities.length ? `\n${entities.join(",\n")}\n  ` : ""}]\n}\n`;
}

const toJsonLines = () => `${JSON.stringify({ text: state.text, entities: records() })}\n`;

function toAnnotations() {
  const spaced = state.shown.some(({ label }) => /\s/.test(label));
  if (spaced) tell("brat has no labels with spaces: they are written with _ in their place.", true);
  return records().map(({ start, end, label, text }, number) =>
    `T${number + 1}\t${label.replace(/\s+/g, "_")} ${start} ${end}\t`
    + `${text.replace(/[\n\r\t\v\f\x1c-\x1e\x85\u2028\u2029]/g, " ")}\n`).join("");
}

/** A tar archive of texts. */
function tar(files) {
  const encoder = new TextEncoder();
  const blocks = [];
  for (const [name, content] of files) {
    const bytes = encoder.encode(content);
    const header = new Uint8Array(512);
    const put = (at, text) => header.set(encoder.encode(text), at);
    const octal = (number, size) => number.toString(8).padStart(size - 1, "0");
    put(0, name);
    put(100, octal(0o644, 8));
    put(108, octal(0, 8));
    put(116, octal(0, 8));
    put(124, octal(bytes.length, 12));
    put(136, octal(Math.floor(Date.now() / 1000), 12));
    put(148, "        ");
    put(156, "0");
    put(257, "ustar\0" + "00");
    put(148, `${octal(header.reduce((sum, byte) => sum + byte, 0), 7)}\0 `);
    blocks.push(header, bytes, new Uint8Array((512 - (bytes.length % 512)) % 512));
  }
  return new Blob([...blocks, new Uint8Array(1024)], { type: "application/x-tar" });
}

function toBrat() {
  const name = fileName().replace(/[^\w.-]/g, "_").slice(0, 80) || "text";
  return tar([[`${name}.txt`, state.text], [`${name}.ann`, toAnnotations()]]);
}

const rulesOf = (sheet) => [...sheet.cssRules].map((rule) => rule.cssText).join("\n");

/** The text as it is drawn, whatever the current view. */
function drawnText() {
  if (state.view === "text") return $("#drawn");
  const kept = new Map(elements);
  const drawn = drawText();
  elements.clear();
  for (const [entity, nodes] of kept) elements.set(entity, nodes);
  return drawn;
}

function toHtml() {
  const copy = drawnText().cloneNode(true);
  copy.removeAttribute("id");
  copy.removeAttribute("aria-describedby");
  copy.classList.remove("lit");
  for (const mark of $$("mark", copy)) {
    const entity = state.entities[mark.dataset.index];
    for (const name of ["data-index", "tabindex"]) mark.removeAttribute(name);
    mark.classList.remove("on", "around", "inside");
    mark.title = `${entity.label} ${entity.score.toFixed(2)}, level ${entity.level}`;
  }
  const shared = [...document.styleSheets].find((sheet) => sheet.href?.endsWith("entities.css"));
  const used = [...new Set(state.shown.map((entity) => entity.label))];
  const legend = used.map((label) => `<li><i class="${look(label)}"></i>${xml(label)}</li>`);
  const title = xml(`${fileName()}: entities found by ${state.answer.model}`);
  return `<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="viewport" `
    + `content="width=device-width, initial-scale=1">\n<title>${title}</title>\n<style>\n`
    + `:root{color-scheme:light dark}body{font:1.05rem/1.5 system-ui,sans-serif;max-width:56rem;`
    + `margin:2rem auto;padding:0 1rem}h1{font-size:1.2rem}\n${rulesOf(shared)}\n`
    + `${labelRules(used)}\n</style>\n</head>\n<body class="innermost">\n<h1>${title}</h1>\n`
    + `<ul class="innermost-legend">${legend.join("")}</ul>\n`
    + `<div class="${state.drawing === "lines" ? "innermost-lines" : ""}">${copy.outerHTML}</div>\n`
    + `</body>\n</html>\n`;
}

const stripes = [null, "M-1 3L1 5M0 0L4 4M3 -1L5 1", "M1 0V4", "M-1 1L1 -1M0 4L4 0M3 5L5 3",
  "M0 1H4"];

/** The text as the browser has laid it out, always in light colors. */
function toSvg() {
  const stage = element("div", { class: state.drawing === "lines" ? "innermost-lines" : "" });
  const copy = drawnText().cloneNode(true);
  copy.classList.remove("lit");
  stage.append(copy);
  stage.style.cssText = "position:absolute;left:0;top:0;width:45rem;visibility:hidden;"
    + "color-scheme:light;font:16px/1.5 Helvetica,Arial,'Liberation Sans',sans-serif;"
    + "content-visibility:visible";
  document.body.append(stage);
  try {
    for (const chunk of copy.children) chunk.style.contentVisibility = "visible";
    return drawShapes(stage, copy);
  } finally {
    stage.remove();
  }
}

/** The path of a rectangle with round corners on the left and right; open sides are not drawn. */
function rounded({ x, y, width, height }, [left, right], [leftOpen, rightOpen] = []) {
  const round = (radius, dx, dy) => (radius ? `a${radius} ${radius} 0 0 1 ${dx} ${dy}` : "");
  const at = (value) => Math.round(10 * value) / 10;
  const [end, bottom] = [at(x + width), at(y + height)];
  const rightSide = rightOpen ? `M${end} ${bottom}`
    : `${round(right, right, right)}V${at(bottom - right)}${round(right, -right, right)}`;
  const leftSide = leftOpen ? ""
    : `${round(left, -left, -left)}V${at(y + left)}${round(left, left, -left)}`;
  return `M${at(x + left)} ${at(y)}H${at(end - right)}${rightSide}H${at(x + left)}${leftSide}`;
}

function drawShapes(stage, copy) {
  const frame = stage.getBoundingClientRect();
  const place = (rect) => ({ x: rect.left - frame.left + 12, y: rect.top - frame.top + 12,
    width: rect.width, height: rect.height });
  const shapes = [];
  const number = (value) => String(Math.round(10 * value) / 10);
  const rect = ({ x, y, width, height }, fill) =>
    shapes.push(`<rect x="${number(x)}" y="${number(y)}" width="${number(width)}" `
      + `height="${number(height)}" fill="${fill}"/>`);
  const write = (text, { x, y, width }, more = "") => shapes.push(`<text x="${number(x)}" `
    + `y="${number(y)}" textLength="${number(width)}" lengthAdjust="spacingAndGlyphs" `
    + `xml:space="preserve"${more}>${xml(text)}</text>`);
  for (const mark of $$("mark", copy)) {
    mark.style.outlineColor = "var(--edge)";
    const style = getComputedStyle(mark);
    const colors = { fill: style.getPropertyValue("--c"), edge: style.outlineColor,
      tint: style.backgroundColor };
    const pattern = /p(\d)/.exec(mark.className)[1];
    const right = style.direction === "rtl";
    const [startOpen, endOpen] = ["cut-start", "cut-end"].map((cut) => mark.classList.contains(cut));
    const sides = right ? [endOpen, startOpen] : [startOpen, endOpen];
    const { words, whole } = labelWidth(mark.dataset.type);
    const labeled = style.backgroundImage.includes("url(");
    for (const line of mark.getClientRects()) {
      if (line.width) (state.drawing === "lines" ? bar : frameShape)(place(line));
    }
    function frameShape(at) {
      const wide = labeled ? 16 * whole : 0;
      const chip = { ...at, width: wide, x: right ? at.x + at.width - wide : at.x };
      const radii = sides.map((open) => (open ? 0 : 5));
      shapes.push(`<path d="${rounded(at, radii)}" fill="${colors.tint}"/>`);
      if (wide) {
        const corners = right ? [0, radii[1]] : [radii[0], 0];
        shapes.push(`<path d="${rounded(chip, corners)}" fill="${colors.fill}"/>`);
        const strip = right ? chip.x + wide - 4.5 : chip.x;
        if (stripes[pattern])
          rect({ x: strip, y: at.y + 3, width: 4.5, height: at.height - 6 }, `url(#s${pattern})`);
        write(shortLabel(mark.dataset.type), { x: chip.x + (wide - 16 * words) / 2,
          y: at.y + at.height / 2 + 3.8, width: 16 * words }, ' font-size="10.56" font-weight="600"');
      }
      shapes.push(`<path d="${rounded(at, radii, sides)}" fill="none" stroke="${colors.edge}" `
        + `stroke-width="1.3"/>`);
    }
    function bar(at) {
      const low = at.y + at.height - 11.2;
      rect({ ...at, y: low - 4.5, height: 3 }, colors.fill);
      if (stripes[pattern]) rect({ ...at, y: low - 4.5, height: 3 }, `url(#s${pattern})`);
      rect({ ...at, y: low - 1.5, height: 1.5 }, colors.edge);
      if (!labeled) return;
      const wide = 0.7 * 16 * whole;
      const x = right ? at.x + at.width - wide : at.x;
      rect({ x, y: low, width: wide, height: 11.2 }, colors.fill);
      write(shortLabel(mark.dataset.type), { x: x + (wide - 11.2 * words) / 2, y: low + 8.4,
        width: 11.2 * words }, ' font-size="7.4" font-weight="600"');
    }
  }
  pen.font = "16px Helvetica, Arial, 'Liberation Sans', sans-serif";
  const { fontBoundingBoxAscent: ascent } = pen.measureText("x");
  for (const { text, box: at, right } of lineRuns(copy)) {
    const line = place(at);
    write(text, { ...line, x: right ? line.x + line.width : line.x, y: line.y + ascent },
      right ? ' direction="rtl"' : "");
  }
  const size = [frame.width + 24, stage.scrollHeight + 24].map(number);
  const patterns = stripes.map((path, i) => path && `<pattern id="s${i}" width="4" height="4" `
    + `patternUnits="userSpaceOnUse"><path d="${path}" stroke="#000" stroke-opacity=".55" `
    + `stroke-width="1.3"/></pattern>`).filter(Boolean);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${size[0]}" height="${size[1]}" `
    + `viewBox="0 0 ${size.join(" ")}" role="img" fill="#1b1f24" font-size="16" `
    + `font-family="Helvetica, Arial, Liberation Sans, sans-serif">`
    + `<title>${xml(`Entities found by ${state.answer.model}`)}</title><defs>${patterns.join("")}`
    + `</defs><rect width="100%" height="100%" fill="#fff"/>\n${shapes.join("\n")}\n</svg>\n`;
}

/** Runs of text on one line and in one element. */
function* lineRuns(root) {
  const range = document.createRange();
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    const right = getComputedStyle(node.parentElement).direction === "rtl";
    let run = null;
    for (const { 0: word, index } of node.data.matchAll(/\s+|\S+/g)) {
      for (const [text, at] of wordParts(range, node, word, index)) {
        if (run && Math.abs(run.box.top - at.top) < 4) {
          run.text += text;
          const left = Math.min(run.box.left, at.left);
          const end = Math.max(run.box.left + run.box.width, at.left + at.width);
          run.box = { left, top: run.box.top, width: end - left, height: at.height };
        } else {
          if (run?.text.trim()) yield run;
          run = { text, right, box: at };
        }
      }
    }
    if (run?.text.trim()) yield run;
  }
}

function* wordParts(range, node, word, index) {
  range.setStart(node, index);
  range.setEnd(node, index + word.length);
  const boxes = [...range.getClientRects()].filter((box) => box.width);
  if (!boxes.length) return;
  const tops = new Set(boxes.map((box) => Math.round(box.top)));
  if (tops.size === 1) {
    yield [word, range.getBoundingClientRect()];
    return;
  }
  // A long word on several lines.
  const signs = [...word];
  if (signs.length === 1) {
    yield [word, boxes[0]];
    return;
  }
  let at = index;
  for (const sign of signs) {
    yield* wordParts(range, node, sign, at);
    at += sign.length;
  }
}

async function toPng() {
  const url = URL.createObjectURL(new Blob([toSvg()], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const scale = 2;
    const canvas = element("canvas", { width: image.width * scale, height: image.height * scale });
    if (canvas.height > 32000 || canvas.height * canvas.width > 2e8)
      throw new Refusal(0, "The text is too long for a PNG image. Choose SVG or HTML.");
    const context = canvas.getContext("2d");
    context.scale(scale, scale);
    context.drawImage(image, 0, 0);
    return await new Promise((resolve, reject) => canvas.toBlob((blob) =>
      (blob ? resolve(blob) : reject(new Refusal(0, "The browser cannot create a PNG image.")))));
  } finally {
    URL.revokeObjectURL(url);
  }
}

const formats = {
  json: ["JSON", "json", "application/json", toJson],
  jsonl: ["JSON lines", "jsonl", "application/jsonl", toJsonLines],
  brat: ["brat", "tar", "application/x-tar", toBrat, toAnnotations],
  html: ["HTML", "html", "text/html", toHtml],
  svg: ["SVG", "svg", "image/svg+xml", toSvg],
  png: ["PNG", "png", "image/png", toPng],
};

const fileName = () => state.name.replace(/\.[^.]*$/, "") || "text";

async function download() {
  const [, extension, type, make] = formats[$("#format").value];
  const content = await make();
  const blob = content instanceof Blob ? content : new Blob([content], { type });
  const url = URL.createObjectURL(blob);
  element("a", { href: url, download: `${fileName()}.${extension}` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

async function copyText(text) {
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(text);
    return;
  }
  // Outside HTTPS and localhost only the old API is available.
  const area = element("textarea", { class: "unseen" });
  area.value = text;
  document.body.append(area);
  area.select();
  const copied = document.execCommand("copy");
  area.remove();
  if (!copied) throw new Refusal(0, "The browser does not allow copying. Use Download.");
}

async function copy() {
  const [name, , type, make, makeText] = formats[$("#format").value];
  if (type === "image/png") {
    if (!navigator.clipboard?.write)
      throw new Refusal(0, "The browser does not allow copying images here. Use Download.");
    await navigator.clipboard.write([new ClipboardItem({ [type]: make() })]);
  } else await copyText(await (makeText ?? make)());
  $("#status").textContent = `${name} copied`;
}

// ---------------------------------------------------------------- deep links

async function squeeze(text, Stream) {
  const bytes = new Blob([text]).stream().pipeThrough(new Stream("deflate-raw"));
  return new Uint8Array(await new Response(bytes).arrayBuffer());
}

async function makeLink() {
  const bytes = await squeeze(state.text, CompressionStream);
  const values = { model: state.answer.model, view: state.view, drawing: state.drawing };
  if (state.score) values.score = state.score;
  if (state.depth !== Infinity) values.depth = state.depth;
  if (state.hidden.size) values.hide = JSON.stringify([...state.hidden]);
  values.text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))
    .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  const fragment = String(new URLSearchParams(values));
  if (fragment.length > 30_000)
    throw new Refusal(0, "The text is too long for a link. Download it and send the file.");
  history.replaceState(null, "", `#${fragment}`);
  await copyText(location.href);
  $("#status").textContent = "Link copied";
}

async function followLink() {
  const values = new URLSearchParams(location.hash.slice(1));
  if (!values.get("text")) return;
  let text;
  try {
    const binary = atob(values.get("text").replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = await squeeze(Uint8Array.from(binary, (sign) => sign.charCodeAt(0)),
      DecompressionStream);
    text = new TextDecoder().decode(bytes);
    state.hidden = new Set(JSON.parse(values.get("hide") ?? "[]"));
  } catch {
    throw new Refusal(0, "The link is damaged: its text cannot be read.");
  }
  $("#text").value = text;
  state.score = Math.min(Math.max(Number(values.get("score")) || 0, 0), 1);
  state.depth = Number(values.get("depth")) || Infinity;
  if (values.get("view") in views) state.view = values.get("view");
  setDrawing(values.get("drawing"));
  const model = values.get("model");
  if (state.models.some(({ name }) => name === model)) $("#model").value = model;
  else if (model) throw new Refusal(0, `The link needs the model ${model}, which is not available here.`);
  await run();
}

function setDrawing(drawing) {
  state.drawing = drawing === "lines" ? "lines" : "boxes";
  for (const radio of $$("#drawing input")) radio.checked = radio.value === state.drawing;
}

// ---------------------------------------------------------------- the controls

const examples = [
  ["protein", "The human interleukin-2 receptor alpha chain gene promoter is bound by NF-kappa B in "
    + "activated T lymphocytes. Jurkat cells transfected with a GATA-3 expression vector produced "
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
  state.name = file.name;
  $("#text").value = text;
  await run();
}

let typing = null;
$("#input").addEventListener("submit", attempt(run));
$("#text").addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(attempt(run), $("#text").value.length > 20_000 ? 1500 : 500);
});
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
  $("#text").value = examples.find(([type]) => !type || known.includes(type))[1];
  await run();
}));
$("#key").addEventListener("submit", attempt(async () => {
  key = $("#key input").value.trim();
  sessionStorage.setItem("innermost-key", key);
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
$("#format").append(...Object.entries(formats).map(([value, [name]]) =>
  element("option", { value }, name)));
$("#copy").addEventListener("click", attempt(copy));
$("#download").addEventListener("click", attempt(download));
$("#link").addEventListener("click", attempt(makeLink));

const root = document.documentElement;
root.dataset.theme = localStorage.getItem("innermost-theme") ?? "";
$("#theme").addEventListener("click", () => {
  const dark = root.dataset.theme ? root.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  localStorage.setItem("innermost-theme", root.dataset.theme);
});

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
    $("#text").value = text;
    await run();
  }
}));
addEventListener("hashchange", attempt(followLink));

await attempt(async () => {
  await loadModels();
  await followLink();
})();
