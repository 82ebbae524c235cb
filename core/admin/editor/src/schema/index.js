// Everything a text may be made of.

import { Dropcursor } from "@tiptap/extensions/drop-cursor";
import { Gapcursor } from "@tiptap/extensions/gap-cursor";
import { Placeholder } from "@tiptap/extensions/placeholder";
import { UndoRedo } from "@tiptap/extensions/undo-redo";
import { ListKeymap } from "@tiptap/extension-list/keymap";
import { Blockquote, Container, Document, Heading, HorizontalRule, Paragraph, Preformatted, Text } from "./blocks.js";
import { EndOfText } from "./end_of_text.js";
import { HiddenTargets } from "../links.js";
import { BulletList, ListItem, OrderedList } from "./lists.js";
import { Link, Phrase, SIMPLE } from "./marks.js";
import { HardBreak, Image, Piece } from "./pieces.js";
import { Table, TableCell, TableHeader, TableKeys, TableRow } from "./tables.js";

export const NODES = [
  Document, Text, Paragraph, Heading, Blockquote, Preformatted, Container, HorizontalRule, BulletList, OrderedList,
  ListItem, Table, TableRow, TableCell, TableHeader, HardBreak,
];
export const MARKS = [Link, ...SIMPLE, Phrase];

/** The extensions of an editor; `open` opens the dialog of the piece that is selected. */
export function extensions({ words, sources, links, open }) {
  return [
    ...NODES,
    ...MARKS,
    Image.configure({ words, sources, open }),
    Piece.configure({ words, sources, open }),
    HiddenTargets.configure({ words, links }),
    TableKeys,
    ListKeymap.configure({ listTypes: [{ itemName: "listItem", wrapperNames: ["bulletList", "orderedList"] }] }),
    UndoRedo.configure({ depth: 200 }),
    Dropcursor.configure({ color: false, class: "editor-drop" }),
    Gapcursor,
    EndOfText,
    Placeholder.configure({ placeholder: words.say("placeholder") }),
  ];
}
