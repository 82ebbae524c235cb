// The tools of the toolbar, in groups: what each does, whether it is on, and whether it can be used.

import * as tables from "@tiptap/pm/tables";
import { askEmbed, askFile, askLink, askMedia, askPicture } from "../dialogs/pieces.js";
import { askTable, askTableProperties } from "../dialogs/tables.js";
import { align, alignment, clear, colour, colourAt } from "./commands.js";
import { menuItems } from "./popup.js";
import { palette } from "./palette.js";
import { SHORTCUT, spell } from "./keys.js";

const mark = (name) => ({
  name,
  run: ({ editor }) => editor.chain().focus().toggleMark(name).run(),
  isOn: ({ editor }) => editor.isActive(name),
});

const aligned = (value) => ({
  name: `align_${value}`,
  run: ({ editor }) => {
    align(editor, value);
    editor.view.focus();
  },
  isOn: ({ editor }) => alignment(editor) === value,
});

const list = (name, type) => ({
  name,
  run: ({ editor }) => editor.chain().focus().toggleList(type, "listItem").run(),
  isOn: ({ editor }) => editor.isActive(type),
});

const moved = (name, command) => ({
  name,
  run: ({ editor }) => editor.chain().focus()[command]("listItem").run(),
  can: ({ editor }) => editor.can()[command]("listItem"),
});

const coloured = (name, property) => ({
  name,
  role: "dialog",
  fill: ({ editor, words }, close) =>
    palette({
      words,
      value: colourAt(editor, property),
      choose: (value) => {
        close();
        colour(editor, property, value);
        editor.view.focus();
      },
    }),
});

const opens = (name, ask, isOn) => ({ name, run: (context) => ask(context), isOn });

function blockItems({ editor, words }) {
  const set = (name, attributes) => () => editor.chain().focus().setNode(name, attributes).run();
  const headings = [1, 2, 3, 4, 5, 6].map((level) => ({
    name: `heading_${level}`,
    label: words.say("heading", { level }),
    isOn: editor.isActive("heading", { level }),
    run: set("heading", { level }),
    shortcut: spell(`Mod-Alt-${level}`),
  }));
  const isPlain = editor.isActive("paragraph");
  return [
    { name: "paragraph", isOn: isPlain, run: set("paragraph"), shortcut: spell(SHORTCUT.paragraph) },
    ...headings,
    { name: "preformatted", isOn: editor.isActive("preformatted"), run: set("preformatted"), shortcut: spell(SHORTCUT.preformatted) },
  ];
}

/** What the block at the cursor is called. */
export function blockName({ editor, words }) {
  const on = blockItems({ editor, words }).find((item) => item.isOn);
  return on ? on.label || words.say(on.name) : words.say("paragraph");
}

const TABLE = {
  row_above: tables.addRowBefore,
  row_below: tables.addRowAfter,
  delete_row: tables.deleteRow,
  column_left: tables.addColumnBefore,
  column_right: tables.addColumnAfter,
  delete_column: tables.deleteColumn,
  toggle_header_row: tables.toggleHeaderRow,
  toggle_header_column: tables.toggleHeaderColumn,
  merge_cells: tables.mergeCells,
  split_cell: tables.splitCell,
  delete_table: tables.deleteTable,
};

function tableItems(context) {
  const { editor } = context;
  const isInside = editor.isActive("table");
  const run = (command) => () => {
    // The head keeps to itself what is added to it; the colours of columns are those of the columns that were there.
    command(editor.state, editor.view.dispatch);
    editor.view.focus();
  };
  const commands = Object.entries(TABLE).map(([name, command]) => ({ name, run: run(command), can: command(editor.state) }));
  const inside = [...commands, { name: "table_properties", run: () => askTableProperties(context) }];
  return [{ name: "insert_table", run: () => askTable(context) }, ...(isInside ? inside : [])];
}

const menu = (name, items, text) => ({
  name,
  role: "menu",
  text,
  fill: (context, close) => menuItems(items(context), context.words, close),
});

const rule = { name: "rule", run: ({ editor }) => editor.chain().focus().insertContent({ type: "horizontalRule" }).run() };
const quote = {
  name: "quote",
  run: ({ editor }) => editor.chain().focus().toggleWrap("blockquote").run(),
  isOn: ({ editor }) => editor.isActive("blockquote"),
};

/** The tools that are always there, in groups. */
export const GROUPS = [
  [
    { name: "undo", run: ({ editor }) => editor.chain().focus().undo().run(), can: ({ editor }) => editor.can().undo() },
    { name: "redo", run: ({ editor }) => editor.chain().focus().redo().run(), can: ({ editor }) => editor.can().redo() },
  ],
  [menu("block", blockItems, blockName)],
  [...["bold", "italic"].map(mark), opens("link", askLink, ({ editor }) => editor.isActive("link"))],
  [list("bullet_list", "bulletList"), list("ordered_list", "orderedList"), quote],
  [opens("picture", askPicture, ({ editor }) => editor.isActive("image")), menu("table", tableItems)],
];

/** The tools behind "More". */
export const REST = [
  ["underline", "strike", "subscript", "superscript", "code"].map(mark),
  [coloured("colour", "color"), coloured("background", "background-color")],
  ["left", "center", "right", "justify"].map(aligned),
  [moved("outdent", "liftListItem"), moved("indent", "sinkListItem")],
  [opens("media", askMedia), opens("file", askFile), opens("embed", askEmbed), rule],
  [{ name: "clear", run: ({ editor }) => { clear(editor); editor.view.focus(); } }],
];
