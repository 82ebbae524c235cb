// A dialog that only tells something: a list of pairs.

import { button, freshId, make } from "../dom.js";

export function tell(words, title, pairs) {
  const name = freshId("editor-dialog");
  const rows = pairs.map(([key, text]) => make("tr", {}, make("th", { scope: "row" }, text), make("td", {}, make("kbd", {}, key))));
  const close = button(words.say("close"), () => dialog.close(), "default");
  const table = make("table", {}, make("tbody", {}, ...rows));
  const scrolled = make("div", { class: "editor-scrolled", tabindex: "0", role: "region", "aria-labelledby": name }, table);
  const dialog = make("dialog", { class: "editor-dialog", "aria-labelledby": name }, make("h2", { id: name }, title), scrolled,
    make("div", { class: "editor-buttons" }, close));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  close.focus();
}
