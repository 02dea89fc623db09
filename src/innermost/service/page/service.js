// The service: its models, and the entities that one of them finds in the text.

import { $, element } from "./dom.js";
import { input } from "./input.js";
import { attempt, complain, Refusal, tell } from "./messages.js";
import { drawFilters, update } from "./panel.js";
import { setAnswer, state } from "./state.js";

let key = sessionStorage.getItem("innermost-key") ?? "";

export function useKey(value) {
  key = value;
  sessionStorage.setItem("innermost-key", key);
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
  const message = body?.error
    ?? `The service responded with status ${response.status} and no message.`;
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

export async function loadModels() {
  const { models } = await askWhenReady("v1/models");
  state.models = models;
  $("#model").replaceChildren(...models.map((model) =>
    element("option", { value: model.name, selected: model.default }, model.name)));
}

let typing = null;
let pending = null;

/** Extracts entities when the user stops typing. */
export function runAfterTyping() {
  clearTimeout(typing);
  typing = setTimeout(attempt(run), $("#text").value.length > 20_000 ? 1500 : 500);
}

export async function run() {
  clearTimeout(typing);
  pending?.abort();
  const { text, name } = input();
  tell("");
  if (!text.trim()) {
    clear();
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
    show(text, name, answer);
    $("#status").textContent = `${Math.round(performance.now() - started)} ms`;
  } catch (error) {
    if (error.name === "AbortError") return;
    clear();
    complain(error);
  }
}

/** Shows no result: what is shown and exported belongs to the text above it. */
export function clear() {
  setAnswer("", "", null);
  $("#result").hidden = true;
  $("#status").textContent = "";
}

function show(text, name, answer) {
  setAnswer(text, name, answer);
  $("#result").hidden = false;
  drawFilters();
  update();
  const { dropped } = answer.documents[0];
  if (dropped.length) tell(`Incomplete: ${dropped.map(({ detail }) => detail).join("; ")}.`, true);
  if (state.entities.length) return;
  const others = state.models.map((m) => m.name).filter((name) => name !== answer.model);
  const hint = others.length ? ` Other models: ${others.join(", ")}.` : "";
  tell(`${answer.model} found no entities in this text.${hint}`, true);
}
