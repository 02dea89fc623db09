// How types look: their colors and patterns as in rendering/palette.py, and the labels of boxes as
// in rendering/labels.py.

import { cssString, element, xml } from "./dom.js";
import { types } from "./state.js";

/** The classes of a type, for its color and its pattern. */
export function look(label) {
  const known = types();
  const place = known.includes(label) ? known.indexOf(label) : known.length;
  return `c${place % 8} p${place % 5}`;
}

export const swatch = (label) => element("i", { class: look(label), "aria-hidden": "true" });

const pen = document.createElement("canvas").getContext("2d");
const widths = new Map();
const sheet = new CSSStyleSheet();
document.adoptedStyleSheets = [sheet];

/** The metrics of a text in a CSS font. */
export function measure(text, font) {
  pen.font = font;
  return pen.measureText(text);
}

export function shortLabel(label) {
  const line = label.replace(/[\p{C}\p{Z}\s]+/gu, " ").trim();
  const signs = [...line];
  return signs.length <= 20 ? line : `${signs.slice(0, 19).join("")}…`;
}

/** The widths of a label and of the part of the box with the label, in ems of the text. */
export function labelWidth(label) {
  if (!widths.has(label)) {
    const words = measure(shortLabel(label), "600 66px system-ui, sans-serif").width / 100;
    widths.set(label, { words, whole: Math.round(100 * (words + 0.84)) / 100 });
  }
  return widths.get(label);
}

/** Boxes have no label if those around them fill the line. */
export function labelClasses(nested) {
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

/** A label is an image in the background of its box, repeated on every line. */
export function labelRules(labels) {
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

/** Gives the boxes on the page their labels. */
export const styleLabels = (labels) => sheet.replaceSync(labelRules(labels));
