// The dialogs of tables: a new one, and what belongs to one as a whole.

import { textOf } from "../schema/tables.js";
import { readStyle, withStyle } from "../markup/kept.js";
import { ask } from "./form.js";

const MOST_ROWS = 100;
const MOST_COLUMNS = 30;
const escapeText = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;");

export async function askTable({ editor, words }) {
  const fields = [
    { name: "rows", label: words.say("rows"), kind: "number", value: 3, min: 1, max: MOST_ROWS, required: true },
    { name: "columns", label: words.say("columns"), kind: "number", value: 3, min: 1, max: MOST_COLUMNS, required: true },
    { name: "header", label: words.say("header_row"), kind: "checkbox", value: true },
    { name: "caption", label: words.say("caption") },
  ];
  const isCount = (text, most) => /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= most;
  const check = ({ rows, columns }) =>
    isCount(rows, MOST_ROWS) && isCount(columns, MOST_COLUMNS) ? null : words.say("table_size", { rows: MOST_ROWS, columns: MOST_COLUMNS });
  const answer = await ask(words, { title: words.say("insert_table"), fields, check });
  editor.commands.focus();
  if (answer) {
    insert(editor, answer);
  }
}

/** A table whose first row is a header. */
export function insertTable(editor, rows, columns) {
  editor.commands.focus();
  insert(editor, { rows, columns, header: true, caption: "" });
}

function insert(editor, { rows, columns, header, caption }) {
  const cell = (type) => ({ type, content: [{ type: "paragraph" }] });
  const row = (type) => ({ type: "tableRow", content: Array.from({ length: Number(columns) }, () => cell(type)) });
  const content = Array.from({ length: Number(rows) }, (_, index) => row(header && index === 0 ? "tableHeader" : "tableCell"));
  const attrs = { kept: { style: "width: 100%", border: "1" }, caption: caption ? escapeText(caption) : null };
  const at = editor.state.selection.from;
  editor.chain().insertContent({ type: "table", attrs, content }).run();
  putCursor(editor, at);
}

// Into the first cell, where one goes on to write.
function putCursor(editor, at) {
  let first = null;
  editor.state.doc.nodesBetween(Math.max(at - 2, 0), editor.state.doc.content.size, (node, place) => {
    first ??= ["tableCell", "tableHeader"].includes(node.type.name) ? place + 2 : null;
    return first === null;
  });
  if (first !== null) {
    editor.commands.setTextSelection(first);
  }
}

export async function askTableProperties({ editor, words }) {
  const attrs = editor.getAttributes("table");
  const caption = attrs.caption === null ? "" : textOf(attrs.caption);
  const fields = [
    { name: "caption", label: words.say("caption"), value: caption },
    { name: "width", label: words.say("width"), value: readStyle(attrs.kept, "width") || attrs.kept?.width, help: words.say("width_help") },
  ];
  const check = ({ width }) => (!width || /^\d{1,4}(%|px)?$/.test(width) ? null : words.say("width_help"));
  const answer = await ask(words, { title: words.say("table_properties"), fields, check });
  editor.commands.focus();
  if (answer) {
    const { width: old, ...others } = attrs.kept || {};
    const width = /^\d+$/.test(answer.width) ? `${answer.width}px` : answer.width;
    const changed = answer.caption === caption ? {} : { caption: answer.caption ? escapeText(answer.caption) : null };
    editor.commands.updateAttributes("table", { ...changed, kept: withStyle(others, "width", width) });
  }
}
