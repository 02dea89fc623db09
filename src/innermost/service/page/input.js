// The text to read, and its name: those of its file, until it is changed. The file's own text is
// kept because a textarea changes line ends.

import { $ } from "./dom.js";

const unnamed = "text";
let file = { name: unnamed, text: "", shown: "" };

/** Replaces the text. */
export function setInput(text, name = unnamed) {
  $("#text").value = text;
  file = { name, text, shown: $("#text").value };
}

export function input() {
  const shown = $("#text").value;
  return shown === file.shown ? file : { name: unnamed, text: shown };
}
