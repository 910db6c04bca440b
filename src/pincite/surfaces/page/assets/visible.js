// Shows the characters that are invisible or reorder a line as escapes, like the terminal (`support/terminal.py`).
import * as preact from "./preact.mjs";

const HIDDEN = "[\\0-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\xad\\u061c\\u180e\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f"
  + "\\ufeff\\ufff9-\\ufffb\\ud800-\\udfff\\u{e0000}-\\u{e007f}]";
const IN_TEXT = new RegExp(`(${HIDDEN}|\\r(?!\\n))`, "u");
const IN_NAME = new RegExp(`(${HIDDEN}|[\\t\\n\\r])`, "u"); // one name never looks like two
const WORDS = ["title", "aria-label", "alt"]; // attributes that people read

function escaped(character) {
  const code = character.codePointAt(0);
  const hex = code.toString(16);
  return code < 0x100 ? `\\x${hex.padStart(2, "0")}` : code < 0x10000 ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
}

// Every second piece of `split` is such a character. <bdi> keeps the escape out of the direction of the text around it.
const parts = (text, hidden) => (hidden.test(text) ? text.split(hidden).map((part, at) =>
  (at % 2 === 0 ? part : preact.h("bdi", { class: "escape", dir: "ltr" }, escaped(part)))) : text);

// The escapes of a text without marks, for attributes.
export const words = (text) => text.split(IN_NAME).map((part, at) => (at % 2 === 0 ? part : escaped(part))).join("");

// What is drawn for a text: its escapes are marked. A name (`isName`) has no tabs and newlines either.
export function visible(shown, isName = false) {
  if (typeof shown === "string") return parts(shown, isName ? IN_NAME : IN_TEXT);
  return Array.isArray(shown) ? shown.map((one) => visible(one, isName)) : shown;
}

// Every element is made here, so no text is drawn without its escapes. A <bdi> contains a name.
export function h(name, attributes, ...children) {
  const given = { ...attributes };
  if (typeof name === "string") for (const one of WORDS) if (typeof given[one] === "string") given[one] = words(given[one]);
  return preact.h(name, given, ...children.map((one) => visible(one, name === "bdi")));
}
