// Tables with what belongs to them: caption, columns, and the parts for head, body and foot.

import { Extension, Node } from "@tiptap/core";
import { goToNextCell, tableEditing } from "@tiptap/pm/tables";
import { parse } from "../markup/elements.js";
import { release } from "../markup/inert.js";
import { OURS, keep, orNull, shown } from "../markup/kept.js";
import { kept } from "./blocks.js";

const ofTable = (element, name) => [...element.children].filter((child) => child.nodeName.toLowerCase() === name);

export const Table = Node.create({
  name: "table",
  group: "block",
  content: "tableRow+",
  tableRole: "table",
  isolating: true,
  extendNodeSchema: (extension) => ({ tableRole: extension.config.tableRole }),
  addAttributes: () => ({
    ...kept(),
    caption: { default: null, rendered: false, parseHTML: (element) => captionOf(element) },
    captionKept: { default: null, rendered: false, parseHTML: readCaption },
    columns: { default: null, rendered: false, parseHTML: readColumns },
  }),
  parseHTML: () => [{ tag: "table" }, { tag: "caption,colgroup", ignore: true }],
  renderHTML({ node }) {
    const body = ["tbody", 0];
    const { caption } = node.attrs;
    const head = caption === null ? [] : [["caption", { contenteditable: "false" }, textOf(caption)]];
    return ["table", shown(node.attrs.kept), ...head, body];
  },
});

function captionOf(element) {
  const caption = ofTable(element, "caption")[0];
  return caption ? release(caption.innerHTML) : null;
}

function readCaption(element) {
  const caption = ofTable(element, "caption")[0];
  return caption ? keep(caption) : null;
}

const readColumns = (element) =>
  ofTable(element, "colgroup")
    .map((group) => release(group.outerHTML))
    .join("") || null;

/** The words of a caption, without its markup. */
export const textOf = (html) => parse(html).textContent;

export const TableRow = Node.create({
  name: "tableRow",
  content: "(tableCell | tableHeader)*",
  tableRole: "row",
  addAttributes: () => ({
    ...kept(),
    section: { default: "tbody", rendered: false, parseHTML: (element) => element.getAttribute(`${OURS}section`) || "tbody" },
    sectionKept: {
      default: null,
      rendered: false,
      parseHTML: (element) => orNull(JSON.parse(element.getAttribute(`${OURS}section-kept`) || "{}")),
    },
  }),
  parseHTML: () => [{ tag: "tr" }],
  renderHTML: ({ node }) => ["tr", shown(node.attrs.kept), 0],
});

const span = (name) => ({
  default: 1,
  rendered: false,
  parseHTML: (element) => Math.min(Math.max(Number.parseInt(element.getAttribute(name), 10) || 1, 1), 1000),
});

const cell = (name, tag, tableRole) =>
  Node.create({
    name,
    content: "block+",
    tableRole,
    isolating: true,
    addAttributes: () => ({
      ...kept("colspan", "rowspan"),
      colspan: span("colspan"),
      rowspan: span("rowspan"),
      colwidth: { default: null, rendered: false, parseHTML: () => null },
    }),
    parseHTML: () => [{ tag }],
    renderHTML({ node }) {
      const { colspan, rowspan } = node.attrs;
      return [tag, { ...shown(node.attrs.kept), ...(colspan > 1 && { colspan }), ...(rowspan > 1 && { rowspan }) }, 0];
    },
  });

export const TableCell = cell("tableCell", "td", "cell");
export const TableHeader = cell("tableHeader", "th", "header_cell");

// From cell to cell by Tab; behind the last one, out of the text.
export const TableKeys = Extension.create({
  name: "tableKeys",
  addKeyboardShortcuts() {
    const go = (direction) => () => goToNextCell(direction)(this.editor.state, this.editor.view.dispatch);
    return { Tab: go(1), "Shift-Tab": go(-1) };
  },
  addProseMirrorPlugins: () => [tableEditing()],
});
