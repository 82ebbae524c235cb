// From HTML to a document and back, and whether that loses anything.

import { DOMParser as Reader } from "@tiptap/pm/model";
import { parse } from "./elements.js";
import { prepare } from "./prepare.js";
import { isSame } from "./same.js";
import { serialise } from "./serialise.js";

/** The document of the text; a new text begins with a paragraph. */
export function read(schema, html) {
  const root = prepare(parse(html));
  if (!html.trim()) {
    return schema.topNodeType.create(null, schema.nodes.paragraph.create());
  }
  return Reader.fromSchema(schema).parse(root);
}

/** The HTML of the document; nothing for an empty one. */
export function write(doc) {
  const isEmpty = doc.childCount === 1 && doc.firstChild.type.name === "paragraph" && !doc.firstChild.childCount;
  return isEmpty ? "" : serialise(doc.content);
}

/** Whether the text comes back as the same page. */
export const survives = (schema, html) => !html.trim() || isSame(html, serialise(read(schema, html).content));
