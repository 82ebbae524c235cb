// What letters may bear: each mark stands for one element and holds its attributes.

import { Mark, markInputRule } from "@tiptap/core";
import { MARKS, PHRASES, isBlock, isPhrasing, nameOf } from "../markup/elements.js";
import { shown } from "../markup/kept.js";
import { kept } from "./blocks.js";

// How many inline elements stand around it: of two around the same text, the outer one is written first.
function depthOf(element) {
  let depth = 0;
  for (let parent = element.parentElement; parent && isPhrasing(parent); parent = parent.parentElement) {
    depth += 1;
  }
  return depth;
}

const attributes = (tag) => ({
  ...kept(),
  tag: { default: tag, rendered: false, parseHTML: (element) => nameOf(element) },
  depth: { default: null, rendered: false, parseHTML: depthOf },
});

const rules = (tags) => tags.map((tag) => ({ tag, getAttrs: (element) => (isBlock(element) ? false : null) }));

const SHORTCUTS = { bold: "Mod-b", italic: "Mod-i", underline: "Mod-u", strike: "Mod-Shift-s", code: "Mod-e",
  subscript: "Mod-,", superscript: "Mod-." };
const PATTERNS = { bold: /(?:^|\s)(\*\*(?!\s)((?:[^*]+))\*\*)$/, code: /(?:^|\s)(`(?!\s)([^`]+)`)$/ };

const simple = (name) =>
  Mark.create({
    name,
    excludes: "",
    addAttributes: () => attributes(MARKS[name][0]),
    parseHTML: () => rules(MARKS[name]),
    renderHTML: ({ mark }) => [mark.attrs.tag, shown(mark.attrs.kept), 0],
    addKeyboardShortcuts() {
      return { [SHORTCUTS[name]]: () => this.editor.commands.toggleMark(name) };
    },
    addInputRules() {
      return PATTERNS[name] ? [markInputRule({ find: PATTERNS[name], type: this.type })] : [];
    },
  });

const SAFE = /^(https?:|mailto:|tel:|ftp:)/i;

export const Link = Mark.create({
  name: "link",
  priority: 1000,
  inclusive: false,
  addAttributes: () => attributes("a"),
  parseHTML: () => rules(["a"]),
  renderHTML({ mark }) {
    const href = mark.attrs.kept?.href || "";
    return ["a", { ...shown(mark.attrs.kept), ...(SAFE.test(href) && { href }), title: href, class: "editor-link" }, 0];
  },
});

// Everything else around letters, first of all <span> with its colours. Several may stand around the same text.
export const Phrase = Mark.create({
  name: "phrase",
  excludes: "",
  addAttributes: () => attributes("span"),
  parseHTML: () => rules([...PHRASES]),
  renderHTML: ({ mark }) => [mark.attrs.tag, shown(mark.attrs.kept), 0],
});

export const SIMPLE = ["bold", "italic", "underline", "strike", "subscript", "superscript", "code"].map(simple);
