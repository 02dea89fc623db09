// Deep links: the text and all settings are in the part of the address after "#".

import { $ } from "./dom.js";
import { copyText } from "./export.js";
import { setInput } from "./input.js";
import { Refusal } from "./messages.js";
import { setDrawing, views } from "./panel.js";
import { clear, run } from "./service.js";
import { state } from "./state.js";

/** Passes data through a stream that compresses or decompresses it. */
async function squeeze(data, Stream) {
  const bytes = new Blob([data]).stream().pipeThrough(new Stream("deflate-raw"));
  return new Uint8Array(await new Response(bytes).arrayBuffer());
}

async function pack(text) {
  const bytes = await squeeze(text, CompressionStream);
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))
    .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function unpack(packed) {
  const binary = atob(packed.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(binary, (sign) => sign.charCodeAt(0));
  return new TextDecoder().decode(await squeeze(bytes, DecompressionStream));
}

export async function makeLink() {
  const values = { model: state.answer.model, view: state.view, drawing: state.drawing };
  if (state.score) values.score = state.score;
  if (state.depth !== Infinity) values.depth = state.depth;
  if (state.hidden.size) values.hide = JSON.stringify([...state.hidden]);
  values.text = await pack(state.text);
  const fragment = String(new URLSearchParams(values));
  if (fragment.length > 30_000)
    throw new Refusal(0, "The text is too long for a link. Download it and send the file.");
  history.replaceState(null, "", `#${fragment}`);
  await copyText(location.href);
  $("#status").textContent = "Link copied";
}

export async function followLink() {
  const values = new URLSearchParams(location.hash.slice(1));
  if (!values.get("text")) return;
  let text;
  try {
    text = await unpack(values.get("text"));
    state.hidden = new Set(JSON.parse(values.get("hide") ?? "[]"));
  } catch {
    throw new Refusal(0, "The link is damaged: its text cannot be read.");
  }
  setInput(text);
  state.score = Math.min(Math.max(Number(values.get("score")) || 0, 0), 1);
  state.depth = Number(values.get("depth")) || Infinity;
  if (Object.hasOwn(views, values.get("view"))) state.view = values.get("view");
  setDrawing(values.get("drawing"));
  const model = values.get("model");
  if (state.models.some(({ name }) => name === model)) $("#model").value = model;
  else if (model) {
    clear();
    throw new Refusal(0, `The link needs the model ${model}, which is not available here.`);
  }
  await run();
}
