// A picture of the text as the browser has laid it out, always in light colors.

import { $$, element, xml } from "./dom.js";
import { labelWidth, measure, shortLabel } from "./labels.js";
import { state } from "./state.js";
import { copyDrawnText } from "./text_view.js";

const margin = 12;

export function toSvg() {
  const stage = element("div", { class: state.drawing === "lines" ? "innermost-lines" : "" });
  const text = copyDrawnText();
  stage.append(text);
  stage.style.cssText = "position:absolute;left:0;top:0;width:45rem;visibility:hidden;"
    + "color-scheme:light;font:16px/1.5 Helvetica,Arial,'Liberation Sans',sans-serif;"
    + "content-visibility:visible";
  document.body.append(stage);
  try {
    for (const chunk of text.children) chunk.style.contentVisibility = "visible";
    return picture(stage, text);
  } finally {
    stage.remove();
  }
}

function picture(stage, text) {
  const corner = stage.getBoundingClientRect();
  const place = (box) => ({ x: box.left - corner.left + margin, y: box.top - corner.top + margin,
    width: box.width, height: box.height });
  const shapes = [...boxShapes(text, place), ...textShapes(text, place)];
  const size = [corner.width + 2 * margin, stage.scrollHeight + 2 * margin].map(rounded);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${size[0]}" height="${size[1]}" `
    + `viewBox="0 0 ${size.join(" ")}" role="img" fill="#1b1f24" font-size="16" `
    + `font-family="Helvetica, Arial, Liberation Sans, sans-serif">`
    + `<title>${xml(`Entities found by ${state.answer.model}`)}</title><defs>${patterns()}`
    + `</defs><rect width="100%" height="100%" fill="#fff"/>\n${shapes.join("\n")}\n</svg>\n`;
}

function* boxShapes(text, place) {
  const draw = state.drawing === "lines" ? bar : frame;
  for (const mark of $$("mark", text)) {
    const entity = readMark(mark);
    for (const line of mark.getClientRects()) if (line.width) yield* draw(place(line), entity);
  }
}

function readMark(mark) {
  mark.style.outlineColor = "var(--edge)";
  const style = getComputedStyle(mark);
  const right = style.direction === "rtl";
  const [start, end] = ["cut-start", "cut-end"].map((cut) => mark.classList.contains(cut));
  return {
    label: mark.dataset.type,
    labeled: style.backgroundImage.includes("url("),
    colors: { fill: style.getPropertyValue("--c"), edge: style.outlineColor,
      tint: style.backgroundColor },
    pattern: /p(\d)/.exec(mark.className)[1],
    right,
    sides: right ? [end, start] : [start, end],
  };
}

function* textShapes(text, place) {
  const font = "16px Helvetica, Arial, 'Liberation Sans', sans-serif";
  const { fontBoundingBoxAscent: ascent } = measure("x", font);
  for (const { text: words, box, right } of lineRuns(text)) {
    const line = place(box);
    const start = { ...line, x: right ? line.x + line.width : line.x, y: line.y + ascent };
    yield writing(words, start, right ? ' direction="rtl"' : "");
  }
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

const rounded = (value) => Math.round(10 * value) / 10;

const rectangle = ({ x, y, width, height }, fill) =>
  `<rect x="${rounded(x)}" y="${rounded(y)}" width="${rounded(width)}" `
  + `height="${rounded(height)}" fill="${fill}"/>`;

/** Text from a point on its baseline, with exactly this width. */
const writing = (text, { x, y, width }, attributes = "") => `<text x="${rounded(x)}" `
  + `y="${rounded(y)}" textLength="${rounded(width)}" lengthAdjust="spacingAndGlyphs" `
  + `xml:space="preserve"${attributes}>${xml(text)}</text>`;

/** The path of a rectangle with round corners on the left and right; open sides are not drawn. */
function outline({ x, y, width, height }, [left, right], [leftOpen, rightOpen] = []) {
  const round = (radius, dx, dy) => (radius ? `a${radius} ${radius} 0 0 1 ${dx} ${dy}` : "");
  const [end, bottom] = [rounded(x + width), rounded(y + height)];
  const rightSide = rightOpen ? `M${end} ${bottom}`
    : `${round(right, right, right)}V${rounded(bottom - right)}${round(right, -right, right)}`;
  const leftSide = leftOpen ? ""
    : `${round(left, -left, -left)}V${rounded(y + left)}${round(left, left, -left)}`;
  return `M${rounded(x + left)} ${rounded(y)}H${rounded(end - right)}${rightSide}`
    + `H${rounded(x + left)}${leftSide}`;
}

const stripes = [null, "M-1 3L1 5M0 0L4 4M3 -1L5 1", "M1 0V4", "M-1 1L1 -1M0 4L4 0M3 5L5 3",
  "M0 1H4"];

/** Definitions of the patterns of types, as in entities.css. */
const patterns = () => stripes.map((path, i) => path && `<pattern id="s${i}" width="4" `
  + `height="4" patternUnits="userSpaceOnUse"><path d="${path}" stroke="#000" `
  + `stroke-opacity=".55" stroke-width="1.3"/></pattern>`).filter(Boolean).join("");

/** A rectangle with a pattern; none if the pattern is plain. */
const striped = (at, pattern) =>
  (stripes[pattern] ? [rectangle(at, `url(#s${pattern})`)] : []);

const labelText = (label, at, size) =>
  writing(shortLabel(label), at, ` font-size="${size}" font-weight="600"`);

/** An entity on one line as a frame around the text, with its label and pattern at the start. */
function frame(at, { label, labeled, colors, pattern, right, sides }) {
  const { words, whole } = labelWidth(label);
  const wide = labeled ? 16 * whole : 0;
  const radii = sides.map((open) => (open ? 0 : 5));
  const shapes = [`<path d="${outline(at, radii)}" fill="${colors.tint}"/>`];
  if (wide) {
    const chip = { ...at, width: wide, x: right ? at.x + at.width - wide : at.x };
    const corners = right ? [0, radii[1]] : [radii[0], 0];
    const strip = right ? chip.x + wide - 4.5 : chip.x;
    shapes.push(`<path d="${outline(chip, corners)}" fill="${colors.fill}"/>`,
      ...striped({ x: strip, y: at.y + 3, width: 4.5, height: at.height - 6 }, pattern),
      labelText(label, { x: chip.x + (wide - 16 * words) / 2, y: at.y + at.height / 2 + 3.8,
        width: 16 * words }, 10.56));
  }
  shapes.push(`<path d="${outline(at, radii, sides)}" fill="none" stroke="${colors.edge}" `
    + `stroke-width="1.3"/>`);
  return shapes;
}

/** An entity on one line as a bar below the text, with its label under it. */
function bar(at, { label, labeled, colors, pattern, right }) {
  const { words, whole } = labelWidth(label);
  const low = at.y + at.height - 11.2;
  const line = { ...at, y: low - 4.5, height: 3 };
  const shapes = [rectangle(line, colors.fill), ...striped(line, pattern),
    rectangle({ ...at, y: low - 1.5, height: 1.5 }, colors.edge)];
  if (!labeled) return shapes;
  const wide = 0.7 * 16 * whole;
  const x = right ? at.x + at.width - wide : at.x;
  shapes.push(rectangle({ x, y: low, width: wide, height: 11.2 }, colors.fill),
    labelText(label, { x: x + (wide - 11.2 * words) / 2, y: low + 8.4, width: 11.2 * words }, 7.4));
  return shapes;
}
