// Files that are put into the text: a place is held for each until the server has it.

import { Extension } from "@tiptap/core";
import { Plugin, PluginKey } from "@tiptap/pm/state";
import { Decoration, DecorationSet } from "@tiptap/pm/view";
import { parse } from "../markup/elements.js";
import { Transfer, kindOf } from "./transfer.js";
import { sendShown } from "./row.js";

const key = new PluginKey("uploads");

const plugin = () =>
  new Plugin({
    key,
    state: {
      init: () => DecorationSet.empty,
      apply(transaction, places) {
        const moved = places.map(transaction.mapping, transaction.doc);
        const { add, remove } = transaction.getMeta(key) || {};
        if (add) {
          return moved.add(transaction.doc, [Decoration.widget(add.at, add.row, { id: add.id, side: -1, stopEvent: () => true })]);
        }
        return remove ? moved.remove(moved.find(null, null, (spec) => spec.id === remove)) : moved;
      },
    },
    props: { decorations: (state) => key.getState(state) },
  });

let count = 0;

/** Sends the files and puts each into the text where it was dropped. */
export function uploadInto(editor, files, at, { address, token, words }) {
  for (const file of files) {
    count += 1;
    const id = count;
    const transfer = new Transfer(file, { address, token: token(), words, kind: kindOf(file) });
    const remove = () => editor.isDestroyed || editor.view.dispatch(editor.state.tr.setMeta(key, { remove: id }));
    const done = (answer) => {
      const [found] = key.getState(editor.state).find(null, null, (spec) => spec.id === id);
      remove();
      editor.chain().insertContentAt(found ? found.from : editor.state.selection.to, nodeFor(transfer.kind, answer, file)).run();
    };
    const row = sendShown(transfer, { done, gone: remove });
    editor.view.dispatch(editor.state.tr.setMeta(key, { add: { id, at, row } }));
  }
}

function nodeFor(kind, answer, file) {
  const { address, name, width, height } = answer;
  if (kind === "image") {
    const size = width && height ? { width: String(width), height: String(height) } : {};
    return { type: "image", attrs: { kept: { src: address, alt: "", ...size } } };
  }
  if (kind === "video") {
    return { type: "piece", attrs: { html: player(file.type.startsWith("audio") ? "audio" : "video", address) } };
  }
  return { type: "text", text: name || file.name, marks: [{ type: "link", attrs: { kept: { href: address } } }] };
}

const escapeValue = (text) => text.replace(/&/g, "&amp;").replace(/"/g, "&quot;").replace(/</g, "&lt;");

/** The HTML of a film or a sound. */
export function player(name, address, width = "") {
  const size = width ? ` width="${escapeValue(width)}"` : "";
  return `<${name} src="${escapeValue(address)}" controls="controls"${size}></${name}>`;
}

/** Takes files that are dropped and pasted; pictures that were pasted as data are sent, too. */
export const Uploads = Extension.create({
  name: "uploads",
  addOptions: () => ({ upload: null }),
  addProseMirrorPlugins() {
    const { options, editor } = this;
    const send = (files, at) => uploadInto(editor, files, at, options.upload);
    const handling = new Plugin({
      props: {
        handleDrop(view, event) {
          const files = [...(event.dataTransfer?.files || [])];
          const at = view.posAtCoords({ left: event.clientX, top: event.clientY })?.pos;
          if (!files.length || view.dragging) {
            return false;
          }
          event.preventDefault();
          send(files, at ?? view.state.selection.to);
          return true;
        },
        handlePaste(view, event) {
          const files = [...(event.clipboardData?.files || [])];
          // Word processors lay a picture of the text beside the text.
          if (!files.length || saysSomething(event.clipboardData.getData("text/html"))) {
            return false;
          }
          send(files, view.state.selection.from);
          return true;
        },
      },
    });
    return [plugin(), handling, adoptPictures(editor, options.upload)];
  },
});

const saysSomething = (html) => parse(html).textContent.trim() !== "";

// After a paste: every picture that is data becomes a file.
function adoptPictures(editor, upload) {
  return new Plugin({
    appendTransaction(transactions, _before, state) {
      if (!upload || !transactions.some((each) => each.getMeta("uiEvent") === "paste")) {
        return null;
      }
      const found = [];
      state.doc.descendants((node, at) => {
        if (node.type.name === "image" && /^data:image\//i.test(node.attrs.kept?.src || "")) {
          found.push({ at, file: fileOf(node.attrs.kept.src) });
        }
      });
      if (!found.length) {
        return null;
      }
      const { tr } = state;
      for (const { at } of found) {
        tr.delete(tr.mapping.map(at), tr.mapping.map(at) + 1);
      }
      for (const { at, file } of found.filter((each) => each.file)) {
        queueMicrotask(() => uploadInto(editor, [file], tr.mapping.map(at), upload));
      }
      return tr;
    },
  });
}

function fileOf(address) {
  const [, type, data] = /^data:(image\/[\w.+-]+);base64,(.*)$/is.exec(address) || [];
  try {
    const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
    return new File([bytes], `picture.${type.split("/")[1].replace("jpeg", "jpg")}`, { type });
  } catch {
    return null;
  }
}
