// A field for the address of a file: the file is chosen, dropped or pasted, sent, and its address written.

import { button, make } from "../dom.js";
import { Sources } from "../sources.js";
import { Words } from "../words.js";
import { chooseUploaded } from "./choose.js";
import { Transfer } from "./transfer.js";
import { sendShown } from "./row.js";

/** The buttons and the row of an upload; `done` gets the server's answer, `chosen` a file that was there already. */
export function chooser({ words, address, token, kind, accept, id, done, chosen = done, multiple = false }) {
  const input = make("input", { type: "file", id, accept, multiple, class: "editor-file", tabindex: "-1", "aria-hidden": "true" });
  const rows = make("div", { class: "editor-uploads" });
  const choose = button(words.say("choose_file"), () => input.click(), "editor-choose");
  const uploaded = button(words.say("from_library"), () => chooseUploaded({ words, address, kind, done: chosen }));
  const send = (files) => {
    for (const file of files) {
      const transfer = new Transfer(file, { address, token: token(), words, kind });
      rows.append(sendShown(transfer, { done: (answer) => done(answer, file), gone: () => choose.focus() }));
    }
  };
  input.addEventListener("change", () => {
    send(input.files);
    input.value = "";
  });
  return { choose, uploaded, input, rows, send };
}

export const ACCEPTED = { image: "image/*,.heic,.heif", video: "video/*,audio/*", file: "" };

/** Makes the field of the box one that takes files. */
export function makeUploadField(box) {
  const words = new Words(JSON.parse(box.dataset.words));
  const field = box.querySelector("input");
  if (!box.dataset.upload || field.disabled || field.readOnly) {
    return;
  }
  const sources = new Sources(box.dataset.siteRoot);
  const { kind } = box.dataset;
  const picture = make("img", { class: "upload-picture", alt: words.say("picture_chosen"), hidden: true });
  const write = ({ address }) => {
    field.value = address;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    field.dispatchEvent(new Event("change", { bubbles: true }));
    told.textContent = "";
  };
  const done = (answer) => {
    write(answer);
    told.textContent = words.say("uploaded", { name: answer.name });
  };
  const show = () => {
    const address = kind === "image" ? sources.shown(field.value.trim()) : "";
    picture.hidden = !address;
    if (address) {
      picture.src = address;
    }
  };
  const token = () => field.form.elements.csrfmiddlewaretoken.value;
  const parts = chooser({ words, kind, token, address: box.dataset.upload, accept: ACCEPTED[kind], done, chosen: write });
  const told = make("span", { class: "upload-told", role: "status" });
  const clear = button(words.say("remove_file"), () => {
    field.value = "";
    field.dispatchEvent(new Event("change", { bubbles: true }));
    field.focus();
  });
  box.append(make("div", { class: "upload-buttons" }, parts.choose, parts.uploaded, clear, make("span", { class: "upload-hint" }, words.say("drop_file")), parts.input), parts.rows, picture, told);
  field.addEventListener("change", show);
  takeDropped(box, parts.send);
  show();
}

/** Sends files that are dropped on the box or pasted into it, by default only the first. */
export function takeDropped(box, send, isMany = false) {
  const some = (files) => (isMany ? [...files] : [...files].slice(0, 1));
  const mark = (isOver) => box.classList.toggle("upload-over", isOver);
  box.addEventListener("dragover", (event) => {
    event.preventDefault();
    mark(true);
  });
  box.addEventListener("dragleave", () => mark(false));
  box.addEventListener("drop", (event) => {
    event.preventDefault();
    mark(false);
    send(some(event.dataTransfer.files));
  });
  box.addEventListener("paste", (event) => {
    if (event.clipboardData.files.length) {
      event.preventDefault();
      send(some(event.clipboardData.files));
    }
  });
}
