// Messages with an Undo button float over a list. Each gets a button that closes it.

import { make } from "../dom.js";
import { frameWords } from "./words.js";

export function closeToasts() {
  for (const told of document.querySelectorAll(".change-list .messagelist li:has(.undo)")) {
    const button = make("button", { type: "button", class: "icon-button", "aria-label": frameWords().say("close") }, "×");
    button.addEventListener("click", () => told.remove());
    told.append(button);
  }
}
