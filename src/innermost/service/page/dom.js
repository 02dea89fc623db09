// Elements: finding and making them, those of each entity in the current view, and text in markup.

export const $ = (selector, root = document) => root.querySelector(selector);
export const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];

export function element(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (value === true) node.setAttribute(key, "");
    else if (value !== false && value != null) node.setAttribute(key, value);
  }
  node.append(...children);
  return node;
}

/** Text as a part of CSS. */
export const cssString = (text) =>
  `"${text.replace(/["\\<>&\p{C}]/gu, (sign) => `\\${sign.codePointAt(0).toString(16)} `)}"`;

const ESCAPES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Text as a part of XML and HTML. */
export const xml = (text) => text
  .replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Cs}/gu, "\ufffd")
  .replace(/[&<>"]/g, (sign) => ESCAPES[sign]);

/** The elements of each entity. */
let elements = new Map();

export function remember(entity, node) {
  node.dataset.index = entity.index;
  if (elements.has(entity)) elements.get(entity).push(node);
  else elements.set(entity, [node]);
  node.tabIndex = elements.size === 1 && elements.get(entity)[0] === node ? 0 : -1;
  return node;
}

export const elementsOf = (entity) => elements.get(entity) ?? [];

export const forgetElements = () => elements.clear();

/** Draws entities without changing what is known about the current view. */
export function drawApart(draw) {
  const kept = elements;
  elements = new Map();
  try {
    return draw();
  } finally {
    elements = kept;
  }
}
