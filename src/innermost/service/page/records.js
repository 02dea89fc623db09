// The shown entities as data, with offsets as in all files: JSON, JSON lines and brat.

import { tell } from "./messages.js";
import { fileName, state, textOf } from "./state.js";

/** Offsets of a text counted in code points, as in Python and in all files. */
export function codePoints(text) {
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

export function toJson() {
  const { model, version } = state.answer;
  const entities = records().map((record) => `    ${JSON.stringify(record)}`);
  return `{\n  "model": ${JSON.stringify(model)},\n  "version": ${JSON.stringify(version)},\n`
    + `  "text": ${JSON.stringify(state.text)},\n  "entities": [`
    + `${entities.length ? `\n${entities.join(",\n")}\n  ` : ""}]\n}\n`;
}

export const toJsonLines = () =>
  `${JSON.stringify({ text: state.text, entities: records() })}\n`;

/** The file of brat with one entity per line. */
export function toAnnotations() {
  const spaced = state.shown.some(({ label }) => /\s/.test(label));
  if (spaced) tell("brat has no labels with spaces: they are written with _ in their place.", true);
  return records().map(({ start, end, label, text }, number) =>
    `T${number + 1}\t${label.replace(/\s+/g, "_")} ${start} ${end}\t`
    + `${text.replace(/[\n\r\t\v\f\x1c-\x1e\x85\u2028\u2029]/g, " ")}\n`).join("");
}

/** The files of brat, with the text. */
export function toBrat() {
  const name = fileName().replace(/[^\w.-]/g, "_").slice(0, 80) || "text";
  return tar([[`${name}.txt`, state.text], [`${name}.ann`, toAnnotations()]]);
}

/** An archive of texts in the format ustar. */
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
