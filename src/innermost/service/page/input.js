// The text to read, and its name: that of its file, until it is changed.

import { $ } from "./dom.js";

const unnamed = "text";
let file = { name: unnamed, shown: "" };

/** Replaces the text. */
export function setInput(text, name = unnamed) {
  $("#text").value = text;
  file = { name, shown: $("#text").value };
}

export function input() {
  const text = $("#text").value;
  return { text, name: text === file.shown ? file.name : unnamed };
}
