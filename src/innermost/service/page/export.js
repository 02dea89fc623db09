// What is downloaded and copied.

import { $, $$, element, xml } from "./dom.js";
import { labelRules, look } from "./labels.js";
import { Refusal } from "./messages.js";
import { toAnnotations, toBrat, toJson, toJsonLines } from "./records.js";
import { fileName, state } from "./state.js";
import { toSvg } from "./svg.js";
import { copyDrawnText } from "./text_view.js";

/** `make` makes the file; `makeText` makes what is copied, where that is something else. */
export const formats = {
  json: { name: "JSON", extension: "json", type: "application/json", make: toJson },
  jsonl: { name: "JSON lines", extension: "jsonl", type: "application/jsonl", make: toJsonLines },
  brat: { name: "brat", extension: "tar", type: "application/x-tar", make: toBrat,
    makeText: toAnnotations },
  html: { name: "HTML", extension: "html", type: "text/html", make: toHtml },
  svg: { name: "SVG", extension: "svg", type: "image/svg+xml", make: toSvg },
  png: { name: "PNG", extension: "png", type: "image/png", make: toPng },
};

const rulesOf = (sheet) => [...sheet.cssRules].map((rule) => rule.cssText).join("\n");

/** A self-contained page with the text. */
function toHtml() {
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
    + `<div class="${state.drawing === "lines" ? "innermost-lines" : ""}">`
    + `${staticText().outerHTML}</div>\n</body>\n</html>\n`;
}

/** The drawn text without what only the page uses. */
function staticText() {
  const text = copyDrawnText();
  text.removeAttribute("id");
  text.removeAttribute("aria-describedby");
  for (const mark of $$("mark", text)) {
    const entity = state.entities[mark.dataset.index];
    for (const name of ["data-index", "tabindex"]) mark.removeAttribute(name);
    mark.classList.remove("on", "around", "inside");
    mark.title = `${entity.label} ${entity.score.toFixed(2)}, level ${entity.level}`;
  }
  return text;
}

/** The picture as pixels. */
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

export async function download() {
  const { extension, type, make } = formats[$("#format").value];
  const content = await make();
  const blob = content instanceof Blob ? content : new Blob([content], { type });
  const url = URL.createObjectURL(blob);
  element("a", { href: url, download: `${fileName()}.${extension}` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

export async function copy() {
  const { name, type, make, makeText } = formats[$("#format").value];
  if (type === "image/png") {
    if (!navigator.clipboard?.write)
      throw new Refusal(0, "The browser does not allow copying images here. Use Download.");
    await navigator.clipboard.write([new ClipboardItem({ [type]: make() })]);
  } else await copyText(await (makeText ?? make)());
  $("#status").textContent = `${name} copied`;
}

export async function copyText(text) {
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
