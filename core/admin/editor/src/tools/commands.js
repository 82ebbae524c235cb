// Commands on what is selected that go through the attributes which elements were read with.

import { orNull, readStyle, withAttribute, withStyle } from "../markup/kept.js";

/** The blocks of text that are selected, even in part. */
function textBlocks(state, run) {
  for (const { $from, $to } of state.selection.ranges) {
    state.doc.nodesBetween($from.pos, $to.pos, (node, at) => {
      if (node.isTextblock) {
        run(node, at);
      }
      return !node.isTextblock;
    });
  }
}

export function align(editor, value) {
  const { tr } = editor.state;
  textBlocks(editor.state, (node, at) => {
    const plain = withAttribute(node.attrs.kept, "align", null);
    const kept = withStyle(plain, "text-align", value === "left" ? "" : value);
    const wrap = node.attrs.wrap === undefined ? {} : { wrap: "tag" };
    tr.setNodeMarkup(at, null, { ...node.attrs, kept, ...wrap });
  });
  editor.view.dispatch(tr);
}

/** How the first of the selected blocks is aligned. */
export function alignment(editor) {
  const { kept } = editor.state.selection.$from.parent.attrs;
  return readStyle(kept, "text-align") || kept?.align?.toLowerCase() || "left";
}

function eachText(state, run) {
  for (const { $from, $to } of state.selection.ranges) {
    state.doc.nodesBetween($from.pos, $to.pos, (node, at) => {
      if (node.isText) {
        run(node, Math.max(at, $from.pos), Math.min(at + node.nodeSize, $to.pos));
      }
    });
  }
}

const LEGACY = { color: "color", "background-color": null };

// The mark without the property; null when nothing is left of it.
function without(mark, property) {
  const plain = LEGACY[property] ? withAttribute(mark.attrs.kept, LEGACY[property], null) : mark.attrs.kept;
  const kept = withStyle(plain, property, "");
  const isBare = !kept && ["span", "font"].includes(mark.attrs.tag);
  return isBare ? null : mark.type.create({ ...mark.attrs, kept });
}

const sets = (mark, property) =>
  mark.type.name === "phrase" && Boolean(readStyle(mark.attrs.kept, property) || (LEGACY[property] && mark.attrs.kept?.[LEGACY[property]]));

/** Give what is selected, or what is typed next, this colour; an empty one takes it away. */
export function colour(editor, property, value) {
  const { state } = editor;
  const type = state.schema.marks.phrase;
  const mark = value && type.create({ kept: { style: `${property}: ${value}` } });
  const { tr } = state;
  if (state.selection.empty) {
    const others = (state.storedMarks || state.selection.$from.marks()).filter((each) => !sets(each, property));
    tr.setStoredMarks(mark ? mark.addToSet(others) : others);
  }
  eachText(state, (node, from, to) => {
    for (const old of node.marks.filter((each) => sets(each, property))) {
      const left = without(old, property);
      tr.removeMark(from, to, old);
      if (left) {
        tr.addMark(from, to, left);
      }
    }
    if (mark) {
      tr.addMark(from, to, mark);
    }
  });
  editor.view.dispatch(tr);
}

/** The colour at the cursor; empty where none was given. */
export function colourAt(editor, property) {
  const { selection, storedMarks } = editor.state;
  const marks = storedMarks || selection.$from.marksAcross(selection.$to) || selection.$from.marks();
  const found = marks.filter((mark) => sets(mark, property)).at(-1);
  return found ? readStyle(found.attrs.kept, property) || found.attrs.kept.color || "" : "";
}

/** Take every look from what is selected: marks but links, and the styles of its blocks. */
export function clear(editor) {
  const { state } = editor;
  const { tr } = state;
  const { from, to } = state.selection;
  for (const type of Object.values(state.schema.marks)) {
    if (type.name !== "link") {
      tr.removeMark(from, to, type);
    }
  }
  textBlocks(state, (node, at) => {
    const { style, align: aligned, class: name, ...others } = node.attrs.kept || {};
    tr.setNodeMarkup(at, null, { ...node.attrs, kept: orNull(others) });
  });
  editor.view.dispatch(tr);
}
