// Markdown as a tree of names that are known here. Other names are left out, and texts are text nodes.
import { h } from "./visible.js";

const PLAIN = new Set(["p", "ul", "ol", "li", "blockquote", "hr", "table", "thead", "tbody", "tr", "th", "td",
  "em", "strong", "s", "code", "br"]);
const DEEPEST = 60;

function drawn(node, depth) {
  if (typeof node === "string") return node;
  const [name, attributes, children] = node;
  if (depth > DEEPEST) return "…";
  const inner = children.map((one) => drawn(one, depth + 1));
  const cited = attributes.cited ? { class: "cited" } : {};
  const direction = depth === 0 ? { dir: "auto" } : {}; // of its own text; the style sheet sees to the parts of it
  if (/^h[1-6]$/.test(name)) return h(`h${Math.min(6, +name[1] + 2)}`, { ...cited, ...direction }, inner);
  if (name === "cited") return h("span", { class: "cited" }, inner);
  if (name === "picture") return h("span", { class: "picture" }, ["picture: ", ...inner]);
  if (name === "pre") return h("pre", { ...cited, tabIndex: 0 }, h("code", null, inner));
  if (name === "line") return h("span", { class: attributes.cited ? "codeline cited" : "codeline" }, [...inner, "\n"]);
  if (name === "coloured") return h("span", /^[a-z]+$/.test(attributes.kind) ? { class: `c-${attributes.kind}` } : null, inner);
  if (name === "a") {
    const leads = /^https?:\/\//i.test(attributes.href || "");
    return leads ? h("a", { href: attributes.href, title: attributes.href, target: "_blank",
      rel: "noopener noreferrer nofollow" }, inner) : h("span", { class: "nowhere" }, inner);
  }
  if (name === "table") return h("div", { class: "wide", tabIndex: 0, ...direction }, h("table", null, inner));
  if (name === "ol") return h("ol", { ...(Number.isInteger(attributes.start) && { start: attributes.start }), ...direction }, inner);
  return PLAIN.has(name) ? h(name, { ...cited, ...direction }, name === "br" || name === "hr" ? null : inner) : inner;
}

export const Markdown = ({ rendered }) => h("div", { class: "rendered", tabIndex: 0, role: "region",
  "aria-label": "The document, rendered" }, [
  ...rendered.nodes.map((one) => drawn(one, 0)),
  rendered.cut && h("p", { class: "aside" }, "There is more than can be drawn; the source has all of it."),
]);
