// The tools of the toolbar, in groups: what each does, whether it is on, and whether it can be used.

import * as tables from "@tiptap/pm/tables";
import { askLink } from "../dialogs/link.js";
import { askEmbed, askFile, askMedia, choosePicture } from "../dialogs/pieces.js";
import { askTable, askTableProperties, insertTable } from "../dialogs/tables.js";
import { align, alignment, clear, colour, colourAt } from "./commands.js";
import { menuItems } from "./popup.js";
import { palette } from "./palette.js";
import { SHORTCUT, spell } from "./keys.js";
import { tableGrid } from "./table_grid.js";

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
  const run = (command) => () => {
    // The head keeps to itself what is added to it; the colours of columns are those of the columns that were there.
    command(editor.state, editor.view.dispatch);
    editor.view.focus();
  };
  const commands = Object.entries(TABLE).map(([name, command]) => ({ name, run: run(command), can: command(editor.state) }));
  return [...commands, { name: "table_properties", run: () => askTableProperties(context) }];
}

/** Cells to point at or, in a table, what can be done with it. */
function tablePopup(context, close) {
  const { editor, words } = context;
  if (editor.isActive("table")) {
    const items = menuItems(tableItems(context), words, close);
    items.setAttribute("role", "menu");
    return items;
  }
  const closed = (act) => (...given) => {
    close();
    act(...given);
  };
  return tableGrid({ words, choose: closed((rows, columns) => insertTable(editor, rows, columns)), ask: closed(() => askTable(context)) });
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

/** The tools over text that is selected. */
export const OVER_SELECTION = [...["bold", "italic"].map(mark), opens("link", askLink, ({ editor }) => editor.isActive("link"))];

/** What "/" offers at the start of a line. */
export function slashItems(words) {
  const heading = (level) => ({ name: `heading_${level}`, icon: "block", label: words.say("heading", { level }), run: ({ editor }) => editor.chain().focus().setNode("heading", { level }).run() });
  const tool = (each) => ({ ...each, label: words.say(each.name) });
  return [
    heading(2),
    heading(3),
    tool(opens("picture", choosePicture)),
    { name: "table", label: words.say("table"), run: ({ editor }) => insertTable(editor, 3, 3) },
    ...[quote, list("bullet_list", "bulletList"), list("ordered_list", "orderedList"), rule].map(tool),
    { name: "preformatted", icon: "code", label: words.say("preformatted"), run: ({ editor }) => editor.chain().focus().setNode("preformatted").run() },
  ];
}

/** The tools that are always there, in groups. */
export const GROUPS = [
  [
    { name: "undo", run: ({ editor }) => editor.chain().focus().undo().run(), can: ({ editor }) => editor.can().undo() },
    { name: "redo", run: ({ editor }) => editor.chain().focus().redo().run(), can: ({ editor }) => editor.can().redo() },
  ],
  [menu("block", blockItems, blockName)],
  OVER_SELECTION,
  [list("bullet_list", "bulletList"), list("ordered_list", "orderedList"), quote],
  [opens("picture", choosePicture, ({ editor }) => editor.isActive("image")), { name: "table", role: "dialog", fill: tablePopup }],
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
