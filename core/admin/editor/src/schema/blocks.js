// Paragraphs, headings, quotations, preformatted text, and every other element that holds blocks.

import { Node, textblockTypeInputRule, wrappingInputRule } from "@tiptap/core";
import { CONTAINERS, isContainer, nameOf } from "../markup/elements.js";
import { OURS, keep, shown } from "../markup/kept.js";

/** The attribute that holds whatever else the element bears. */
export const kept = (...except) => ({
  kept: { default: null, rendered: false, parseHTML: (element) => keep(element, ...except) },
});

// Of an empty line, what stood in it: a line break, nothing, or (null) what the editor writes.
const blank = {
  blank: { default: null, rendered: false, parseHTML: (element) => element.getAttribute(`${OURS}blank`) },
};

export const Document = Node.create({ name: "doc", topNode: true, content: "block+" });
export const Text = Node.create({ name: "text", group: "inline" });

export const Paragraph = Node.create({
  name: "paragraph",
  priority: 1000, // of the blocks that fit, the one that is taken
  group: "block",
  content: "inline*",
  addAttributes() {
    // Whether the text has a <p> around it in HTML: "tag" and "bare" as it was read, "auto" by where it stands.
    const wrap = (element) => (element.hasAttribute(`${OURS}bare`) ? "bare" : "tag");
    return { ...kept(), ...blank, wrap: { default: "auto", rendered: false, parseHTML: wrap } };
  },
  parseHTML: () => [{ tag: "p", getAttrs: (element) => (isContainer(element) ? false : null) }],
  renderHTML: ({ node }) => ["p", shown(node.attrs.kept), 0],
  addKeyboardShortcuts() {
    return { "Mod-Alt-0": () => this.editor.commands.setNode("paragraph") };
  },
});

export const Heading = Node.create({
  name: "heading",
  group: "block",
  content: "inline*",
  defining: true,
  addAttributes() {
    const level = { default: 2, rendered: false, parseHTML: (element) => Number(nameOf(element)[1]) };
    return { ...kept(), ...blank, level };
  },
  parseHTML: () => [{ tag: "h1,h2,h3,h4,h5,h6", getAttrs: (element) => (isContainer(element) ? false : null) }],
  renderHTML: ({ node }) => [`h${node.attrs.level}`, shown(node.attrs.kept), 0],
  addKeyboardShortcuts() {
    const toggle = (level) => [`Mod-Alt-${level}`, () => this.editor.commands.toggleNode("heading", "paragraph", { level })];
    return Object.fromEntries([1, 2, 3, 4, 5, 6].map(toggle));
  },
  addInputRules() {
    return [2, 3, 4].map((level) =>
      textblockTypeInputRule({ find: new RegExp(`^(#{${level}})\\s$`), type: this.type, getAttributes: { level } }),
    );
  },
});

export const Blockquote = Node.create({
  name: "blockquote",
  group: "block",
  content: "block+",
  defining: true,
  addAttributes: () => kept(),
  parseHTML: () => [{ tag: "blockquote" }],
  renderHTML: ({ node }) => ["blockquote", shown(node.attrs.kept), 0],
  addKeyboardShortcuts() {
    return { "Mod-Shift-b": () => this.editor.commands.toggleWrap("blockquote") };
  },
  addInputRules() {
    return [wrappingInputRule({ find: /^\s*>\s$/, type: this.type })];
  },
});

export const Preformatted = Node.create({
  name: "preformatted",
  group: "block",
  content: "inline*",
  code: true,
  defining: true,
  whitespace: "pre",
  addAttributes: () => kept(),
  parseHTML: () => [
    { tag: "pre", preserveWhitespace: "full", getAttrs: (element) => (element.querySelector("div,p,table,ul,ol") ? false : null) },
  ],
  renderHTML: ({ node }) => ["pre", shown(node.attrs.kept), 0],
  addKeyboardShortcuts() {
    return {
      "Mod-Alt-c": () => this.editor.commands.toggleNode("preformatted", "paragraph"),
      Enter: () => this.editor.isActive("preformatted") && this.editor.commands.insertContent({ type: "text", text: "\n" }),
    };
  },
});

// A <div>, a <figure>, a link around a table …
export const Container = Node.create({
  name: "container",
  priority: 40,
  group: "block",
  content: "block+",
  defining: true,
  addAttributes: () => ({
    ...kept(),
    tag: { default: "div", rendered: false, parseHTML: (element) => nameOf(element) },
  }),
  parseHTML: () => [{ tag: "*", priority: 60, getAttrs: (element) => (isContainerOnly(element) ? null : false) }],
  renderHTML({ node }) {
    const { tag } = node.attrs;
    const drawn = ["figure", "figcaption", "section", "article", "aside"].includes(tag) ? tag : "div";
    return [drawn, { ...shown(node.attrs.kept), "data-tag": tag }, 0];
  },
});

const WITH_NODES = ["blockquote", "li", "td", "th"];
const isContainerOnly = (element) =>
  !WITH_NODES.includes(nameOf(element)) && (CONTAINERS.has(nameOf(element)) || isContainer(element));

export const HorizontalRule = Node.create({
  name: "horizontalRule",
  group: "block",
  addAttributes: () => kept(),
  parseHTML: () => [{ tag: "hr" }],
  renderHTML: ({ node }) => ["hr", shown(node.attrs.kept)],
});
