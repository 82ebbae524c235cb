// The way out of a block that ends the text: a figure, a quotation, a table or preformatted text.

import { Extension } from "@tiptap/core";
import { Plugin, TextSelection } from "@tiptap/pm/state";

// After these one writes on as it is, or with the Enter key.
const OPEN = ["paragraph", "heading", "bulletList", "orderedList"];

export const EndOfText = Extension.create({
  name: "endOfText",
  addKeyboardShortcuts() {
    const { editor } = this;
    return {
      ArrowRight: () => isLast(editor.state, "to") && writeBelow(editor.view),
      ArrowDown: () => isLast(editor.state, "end") && editor.view.endOfTextblock("down") && writeBelow(editor.view),
    };
  },
  addProseMirrorPlugins() {
    const handleClick = (view, _at, { clientY }) => clientY > view.dom.lastElementChild.getBoundingClientRect().bottom && writeBelow(view);
    return [new Plugin({ props: { handleClick } })];
  },
});

/** Whether nothing follows the selection ("to"), or the block that it ends in ("end"). */
function isLast({ doc, selection: { $to } }, place) {
  const at = place === "to" ? $to.pos : $to.end();
  return doc.content.size - at === $to.depth;
}

function writeBelow(view) {
  const { doc, schema, tr } = view.state;
  if (OPEN.includes(doc.lastChild.type.name)) {
    return false;
  }
  const end = doc.content.size;
  tr.insert(end, schema.nodes.paragraph.create());
  view.dispatch(tr.setSelection(TextSelection.create(tr.doc, end + 1)).scrollIntoView());
  return true;
}
