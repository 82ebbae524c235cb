// What stands in the text as one piece: pictures, line breaks, and HTML that is kept as it is.

import { Node } from "@tiptap/core";
import { make } from "../dom.js";
import { shown } from "../markup/kept.js";
import { kept } from "./blocks.js";
import { drawPlayer, hasRoomFor } from "./players.js";

export const HardBreak = Node.create({
  name: "hardBreak",
  group: "inline",
  inline: true,
  selectable: false,
  linebreakReplacement: true,
  addAttributes: () => kept(),
  parseHTML: () => [{ tag: "br" }],
  renderHTML: () => ["br"],
  renderText: () => "\n",
  addKeyboardShortcuts() {
    const insert = () => this.editor.commands.insertContent({ type: "hardBreak" });
    return { "Shift-Enter": insert, "Mod-Enter": insert };
  },
});

export const Image = Node.create({
  name: "image",
  group: "inline",
  inline: true,
  draggable: true,
  addOptions: () => ({ sources: null, words: null, open: () => {} }),
  addAttributes: () => kept(),
  parseHTML: () => [{ tag: "img" }],
  renderHTML: ({ node }) => ["img", shown(node.attrs.kept)],
  addNodeView() {
    const { sources, words, open } = this.options;
    return ({ node, view, getPos }) => {
      const dom = drawPicture(node, sources, words);
      if (view.state.doc.resolve(getPos()).parent.childCount === 1) {
        reserveRoom(dom);
      }
      dom.addEventListener("dblclick", () => open());
      return { dom };
    };
  },
  addKeyboardShortcuts() {
    return openOnEnter("image", this.options);
  },
});

const openOnEnter = (name, { open }) => ({
  Enter: ({ editor }) => {
    const isSelected = editor.state.selection.node?.type.name === name;
    if (isSelected) {
      open();
    }
    return isSelected;
  },
});

function drawPicture(node, sources, words) {
  const { src = "", alt = "" } = node.attrs.kept || {};
  const address = sources.shown(src);
  const dom = document.createElement(address ? "img" : "span");
  for (const [name, value] of Object.entries(shown(node.attrs.kept))) {
    if (name === "style") {
      dom.style.cssText = value;
    } else {
      dom.setAttribute(name, value);
    }
  }
  if (address) {
    dom.src = address;
    dom.alt = alt;
  } else {
    dom.className = "editor-piece";
    dom.textContent = words.say("picture_elsewhere", { address: src || alt });
  }
  return dom;
}

// Until it has loaded, a picture on lines of its own gets the room of a usual one: the text below moves less.
function reserveRoom(dom) {
  const sizes = ["width", "height"];
  if (dom.complete !== false || sizes.some((name) => dom.hasAttribute(name) || dom.style[name])) {
    return;
  }
  const release = () => sizes.forEach((name) => dom.removeAttribute(name));
  [dom.width, dom.height] = [1200, 800];
  dom.addEventListener("load", release, { once: true });
  dom.addEventListener("error", release, { once: true });
}

export const Piece = Node.create({
  name: "piece",
  priority: 30,
  group: "inline",
  inline: true,
  draggable: true,
  addOptions: () => ({ sources: null, words: null, open: () => {} }),
  addAttributes: () => ({
    html: { default: "", rendered: false, parseHTML: (element) => element.getAttribute("data-html") || "" },
  }),
  parseHTML: () => [{ tag: "x-kept" }],
  renderHTML: ({ node }) => ["span", { class: "editor-piece" }, labelOf(node.attrs.html)],
  addNodeView() {
    const { sources, words, open } = this.options;
    return ({ node, view, getPos }) => {
      const label = labelOf(node.attrs.html, words);
      const hasRoom = () => hasRoomFor(view.state.doc, getPos());
      const dom = drawPlayer(node.attrs.html, { label, sources, hasRoom }) || make("span", { class: "editor-piece" }, label);
      dom.addEventListener("dblclick", () => open());
      // What is done to a player is not done to the text.
      const stopEvent = ({ type, target }) => target.nodeType === 1 && target.matches("video, audio") && !/^drag|^drop/.test(type);
      return { dom, stopEvent, ignoreMutation: () => true };
    };
  },
  addKeyboardShortcuts() {
    return openOnEnter("piece", this.options);
  },
});

/** What the piece is called: its kind, and where its file or page is. */
export function labelOf(html, words) {
  if (html.startsWith("<!--")) {
    return `<!--${html.slice(4, 40).replace(/-->$/, "")}…-->`;
  }
  const name = (/^<([^\s>/]+)/.exec(html) || ["", "?"])[1].toLowerCase();
  const address = (/\ssrc="([^"]*)"/.exec(html) || ["", ""])[1];
  const kind = words && ["video", "audio", "iframe"].includes(name) ? words.say(`kind_${name}`) : `<${name}>`;
  return `${kind} ${address}`.trim();
}
