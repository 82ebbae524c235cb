// The page of media: files that are chosen or dropped are sent one by one, each with its progress and its error.

import { button, make } from "../dom.js";
import { Words } from "../words.js";
import { takeDropped } from "./field.js";
import { sendShown } from "./row.js";
import { Transfer } from "./transfer.js";

const link = document.querySelector("[data-upload]");
if (link) {
  takeUploads(link, document.querySelector("main"));
}

function takeUploads(place, page) {
  const words = new Words(JSON.parse(place.dataset.words));
  const token = document.querySelector("[name=csrfmiddlewaretoken]").value;
  const input = make("input", { type: "file", multiple: true, class: "editor-file", tabindex: "-1", "aria-hidden": "true" });
  const rows = make("div", { class: "editor-uploads" });
  const told = make("div", { role: "status" });
  const show = button(words.say("show_new_files"), () => location.reload());
  show.hidden = true;
  let stored = 0;

  // Files that all arrived are shown at once; where something is to be read, the reader does it.
  const settle = () => {
    if (stored && !rows.childElementCount && !told.childElementCount) {
      setTimeout(() => location.reload()); // after the last request has ended
    }
    show.hidden = !stored;
  };
  const done = (answer, file) => {
    stored += 1;
    if (answer.told) {
      told.append(make("p", {}, `${file.name}: ${answer.told}`));
    }
    settle();
  };
  const send = (files) => {
    for (const file of files) {
      const transfer = new Transfer(file, { address: place.dataset.upload, token, words, kind: "file" });
      rows.append(sendShown(transfer, { done: (answer) => done(answer, file), gone: settle }));
    }
  };
  input.addEventListener("change", () => {
    send(input.files);
    input.value = "";
  });
  place.addEventListener("click", (event) => {
    event.preventDefault();
    input.click();
  });
  page.prepend(make("div", {}, rows, told, show, input));
  takeDropped(page, send, true);
}
