// The text with a box around each entity.

import { $, drawApart, element, remember } from "./dom.js";
import { labelClasses, labelWidth, look, styleLabels } from "./labels.js";
import { chunks, pieces, setLanes } from "./nesting.js";
import { spoken, state } from "./state.js";

export function drawText() {
  const { text, shown } = state;
  styleLabels([...new Set(shown.map((entity) => entity.label))]);
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
    const lines = Math.ceil((end - start) / 70);
    chunk.className = `u${Math.min(tallest, 24)}`;
    chunk.style.containIntrinsicSize = `auto ${lines * (2.2 + 0.3 * tallest)}em`;
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

/** A copy of the text as it is drawn, whatever the current view. */
export function copyDrawnText() {
  const drawn = state.view === "text" ? $("#drawn") : drawApart(drawText);
  const copy = drawn.cloneNode(true);
  copy.classList.remove("lit");
  return copy;
}
