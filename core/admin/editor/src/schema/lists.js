// Lists, nested to any depth.

import { Node, wrappingInputRule } from "@tiptap/core";
import { OURS, shown } from "../markup/kept.js";
import { kept } from "./blocks.js";

const list = (name, tag, key, find) =>
  Node.create({
    name,
    group: "block list",
    content: "listItem+",
    addAttributes: () => kept(),
    parseHTML: () => [{ tag }],
    renderHTML: ({ node }) => [tag, shown(node.attrs.kept), 0],
    addKeyboardShortcuts() {
      return { [key]: () => this.editor.commands.toggleList(name, "listItem") };
    },
    addInputRules() {
      return [wrappingInputRule({ find, type: this.type })];
    },
  });

export const BulletList = list("bulletList", "ul", "Mod-Shift-8", /^\s*([-+*])\s$/);
export const OrderedList = list("orderedList", "ol", "Mod-Shift-7", /^1[.)]\s$/);

export const ListItem = Node.create({
  name: "listItem",
  content: "block+",
  defining: true,
  addAttributes: () => ({
    ...kept(),
    // Whether a list stood right in a list, without this item around it.
    bare: { default: false, rendered: false, parseHTML: (element) => element.hasAttribute(`${OURS}bare`) },
  }),
  parseHTML: () => [{ tag: "li" }],
  renderHTML: ({ node }) => ["li", { ...shown(node.attrs.kept), ...(node.attrs.bare && { class: "editor-bare-item" }) }, 0],
  addKeyboardShortcuts() {
    return {
      Enter: () => this.editor.commands.splitListItem("listItem"),
      Tab: () => this.editor.commands.sinkListItem("listItem"),
      "Shift-Tab": () => this.editor.commands.liftListItem("listItem"),
    };
  },
});
