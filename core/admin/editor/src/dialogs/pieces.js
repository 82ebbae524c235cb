// The dialogs of pictures, films and other pieces of a text.

import { button, make } from "../dom.js";
import { readStyle, withAttribute, withStyle } from "../markup/kept.js";
import { isFileAddress } from "../sources.js";
import { chooseUploaded, storedAlternative } from "../uploads/choose.js";
import { ACCEPTED, chooser, takeDropped } from "../uploads/field.js";
import { player } from "../uploads/in_text.js";
import { ask } from "./form.js";
import { unsafe } from "./link.js";

// What stands in the text already may be of another kind.
const noFile = (words, address, old) => unsafe(words, address) || (address === old || isFileAddress(address) ? null : words.say("no_file_address"));

const FLOATS = { left: "0 1em 1em 0", right: "0 0 1em 1em" };

function placed(kept, place) {
  const isCenter = place === "center";
  let changed = withStyle(kept, "float", FLOATS[place] ? place : "");
  changed = withStyle(changed, "margin", FLOATS[place] || (isCenter ? "0 auto" : ""));
  return withStyle(changed, "display", isCenter ? "block" : "");
}

// The figure takes the width of its picture; else its caption would make it as wide as the line.
function framed(kept, { width, place }) {
  const part = width.endsWith("%") ? width : "";
  const sized = withStyle(placed(kept, place), "width", part);
  return withStyle(sized, "max-width", width && !part ? `${width}px` : "");
}

function widthOf(node, figure) {
  const part = figure && readStyle(figure.node.attrs.kept, "width");
  return part?.endsWith("%") ? part : node?.attrs.kept?.width || readStyle(node?.attrs.kept, "width");
}

const placeOf = (kept) => readStyle(kept, "float") || (readStyle(kept, "display") === "block" ? "center" : "");

function placeField(words, kept) {
  const choices = [["", "place_none"], ["left", "place_left"], ["center", "place_center"], ["right", "place_right"]];
  return { name: "place", label: words.say("place"), kind: "select", value: placeOf(kept), choices: choices.map(([value, name]) => [value, words.say(name)]) };
}

// A button that sends a file and writes its address into a field.
function uploadField(context, kind, into, tell) {
  const { words, upload } = context;
  return {
    name: "upload",
    kind: "upload",
    label: "",
    draw(id) {
      const done = (answer) => {
        into.input.value = answer.address;
        into.input.dispatchEvent(new Event("change"));
        into.input.focus();
        tell?.(answer);
      };
      const parts = chooser({ words, id, kind, accept: ACCEPTED[kind], done, ...upload });
      return make("div", {}, parts.choose, " ", parts.uploaded, parts.input, parts.rows);
    },
  };
}

// The picture at the address, if it is one of the site.
function thumbnail({ words, sources }, input) {
  const picture = make("img", { class: "upload-picture", alt: words.say("picture_chosen"), error: () => (picture.hidden = true) });
  const show = () => {
    const address = sources.shown(input.value.trim());
    picture.hidden = !address;
    if (address) {
      picture.src = address;
    }
  };
  input.addEventListener("change", show);
  show();
  return picture;
}

const size = (text) => (/^\d{1,4}(%|px)?$/.test(text) ? text.replace("px", "") : "");

/** Insert a picture of the site by one click, or a new one; change the one that is selected. */
export function choosePicture(context) {
  const { editor, words, upload } = context;
  if (!upload.address || editor.state.selection.node?.type.name === "image") {
    return askPicture(context);
  }
  const put = ({ address, width, height, alternative = "" }) => {
    const size = width && height ? { width: String(width), height: String(height) } : {};
    editor.chain().focus().insertContent({ type: "image", attrs: { kept: { src: address, alt: alternative, ...size } } }).run();
  };
  const done = (answer) => {
    dialog.close();
    put(answer);
  };
  const parts = chooser({ words, kind: "image", accept: ACCEPTED.image, done, ...upload });
  const byAddress = button(words.say("by_address"), () => {
    dialog.close();
    askPicture(context);
  });
  const above = make("div", { class: "upload-buttons" }, parts.choose, byAddress, make("span", { class: "upload-hint" }, words.say("drop_file")), parts.input, parts.rows);
  const dialog = chooseUploaded({ words, address: upload.address, kind: "image", title: words.say("picture"), above, done: put });
  takeDropped(dialog, parts.send);
  return dialog;
}

/** Insert a picture by its address, or change the one that is selected. */
export async function askPicture(context) {
  const { editor, words } = context;
  const { selection } = editor.state;
  const node = selection.node?.type.name === "image" ? selection.node : null;
  const figure = node && figureAround(editor.state);
  const holder = figure ? figure.node.attrs.kept : node?.attrs.kept;
  const old = node?.attrs.kept?.src;
  const src = { name: "src", label: words.say("address"), value: old, required: true, below: (input) => thumbnail(context, input) };
  const alt = { name: "alt", label: words.say("alternative"), value: node?.attrs.kept?.alt, help: words.say("alternative_help") };
  const offer = (alternative = "") => {
    alt.input.value ||= alternative;
  };
  const fields = [
    ...(context.upload.address ? [uploadField(context, "image", src, (file) => offer(file.alternative))] : []),
    src,
    alt,
    { name: "caption", label: words.say("caption"), value: figure?.caption?.textContent },
    { name: "width", label: words.say("width"), value: widthOf(node, figure), help: words.say("width_help") },
    placeField(words, holder),
  ];
  const check = (values) => noFile(words, values.src, old);
  const asking = ask(words, { title: words.say("picture"), fields, check, removes: node && words.say("remove_picture") });
  if (!alt.value && old?.startsWith("@/") && context.upload.address) {
    storedAlternative(context.upload.address, old).then(offer);
  }
  const answer = await asking;
  editor.commands.focus();
  if (answer === "remove") {
    editor.commands.deleteSelection();
  } else if (answer) {
    putPicture(editor, answer, node, figure);
  }
}

function figureAround({ selection, doc }) {
  const { $from } = selection;
  for (let depth = $from.depth; depth > 0; depth -= 1) {
    const node = $from.node(depth);
    if (node.attrs.tag === "figure") {
      let caption = null;
      node.forEach((child) => {
        caption = child.attrs.tag === "figcaption" ? child : caption;
      });
      return { node, at: $from.before(depth), caption, doc };
    }
  }
  return null;
}

function putPicture(editor, answer, node, figure) {
  const width = size(answer.width);
  const own = (figure || answer.caption) && width.endsWith("%") ? "100%" : width;
  const hasSize = node?.attrs.kept?.width === own;
  let kept = withAttribute(node?.attrs.kept, "src", answer.src);
  kept = { ...withAttribute(kept, "width", own), alt: answer.alt };
  if (!hasSize) {
    kept = withStyle(withAttribute(kept, "height", ""), "width", "");
    kept = withStyle(kept, "height", "");
  }
  if (figure) {
    changeFigure(editor, figure, { ...answer, width }, kept);
  } else if (answer.caption) {
    insertFigure(editor, { ...answer, width }, kept);
  } else {
    editor.chain().insertContent({ type: "image", attrs: { kept: placed(kept, answer.place) } }).run();
  }
}

const figcaption = (text) => ({
  type: "container",
  attrs: { tag: "figcaption" },
  content: [{ type: "paragraph", attrs: { wrap: "bare" }, content: [{ type: "text", text }] }],
});

function insertFigure(editor, answer, kept) {
  const picture = { type: "paragraph", attrs: { wrap: "bare" }, content: [{ type: "image", attrs: { kept } }] };
  const figure = { type: "container", attrs: { tag: "figure", kept: framed({ class: "image" }, answer) }, content: [picture, figcaption(answer.caption)] };
  editor.chain().deleteSelection().insertContent(figure).run();
}

function changeFigure(editor, { node, at, caption }, answer, kept) {
  editor.chain().updateAttributes("image", { kept }).command(({ tr }) => {
    tr.setNodeMarkup(at, null, { ...node.attrs, kept: framed(node.attrs.kept, answer) });
    if ((caption?.textContent || "") === answer.caption) {
      return true;
    }
    let inside = at + node.nodeSize - 1;
    node.forEach((child, offset) => {
      if (child === caption) {
        inside = at + 1 + offset;
        tr.delete(inside, inside + child.nodeSize);
      }
    });
    if (answer.caption) {
      tr.insert(inside, editor.schema.nodeFromJSON(figcaption(answer.caption)));
    }
    return true;
  }).run();
}

/** Insert a film or a sound. */
export async function askMedia(context) {
  const { editor, words } = context;
  const src = { name: "src", label: words.say("address"), required: true, help: words.say("media_help") };
  const fields = [...(context.upload.address ? [uploadField(context, "video", src)] : []), src,
    { name: "width", label: words.say("width"), help: words.say("width_help") }];
  const answer = await ask(words, { title: words.say("media"), fields, check: (values) => noFile(words, values.src) });
  editor.commands.focus();
  if (answer) {
    const name = /\.(mp3|m4a|ogg|oga|wav|flac|aac)$/i.test(answer.src) ? "audio" : "video";
    editor.commands.insertContent({ type: "piece", attrs: { html: player(name, answer.src, size(answer.width)) } });
  }
}

/** Offer a file for download. */
export async function askFile(context) {
  const { editor, words } = context;
  const src = { name: "src", label: words.say("address"), required: true };
  const text = { name: "text", label: words.say("link_text") };
  const told = (answer) => {
    text.input.value ||= answer.name;
  };
  const fields = [...(context.upload.address ? [uploadField(context, "file", src, told)] : []), src, text];
  const answer = await ask(words, { title: words.say("file"), fields, check: (values) => noFile(words, values.src) });
  editor.commands.focus();
  if (answer) {
    const mark = { type: "link", attrs: { kept: { href: answer.src } } };
    editor.commands.insertContent({ type: "text", text: answer.text || answer.src, marks: [mark] });
  }
}

/** Insert a page of another service in a frame. */
export async function askEmbed({ editor, words }) {
  const fields = [
    { name: "src", label: words.say("address"), required: true, help: words.say("embed_help") },
    { name: "title", label: words.say("embed_title"), required: true },
    { name: "width", label: words.say("width"), value: "100%" },
    { name: "height", label: words.say("height"), value: "400" },
  ];
  const check = ({ src }) => (/^https:\/\/[^\s"<>]+$/i.test(src) ? null : words.say("https_only"));
  const answer = await ask(words, { title: words.say("embed"), fields, check });
  editor.commands.focus();
  if (answer) {
    const frame = document.createElement("iframe");
    const attributes = { src: answer.src, title: answer.title, width: size(answer.width), height: size(answer.height), allowfullscreen: "allowfullscreen" };
    Object.entries(attributes).filter(([, value]) => value).forEach(([name, value]) => frame.setAttribute(name, value));
    editor.commands.insertContent({ type: "piece", attrs: { html: frame.outerHTML } });
  }
}

/** Change the HTML of the piece that is selected. */
export async function askPiece({ editor, words }) {
  const { node, from } = editor.state.selection;
  const fields = [{ name: "html", label: words.say("piece_html"), kind: "textarea", value: node.attrs.html }];
  const answer = await ask(words, { title: words.say("piece"), fields, removes: words.say("remove_piece") });
  const chain = editor.chain().focus().setNodeSelection(from);
  if (answer === "remove" || answer?.html === "") {
    chain.deleteSelection().run();
  } else if (answer) {
    chain.updateAttributes("piece", { html: answer.html }).run();
  }
}
