// What was done in a list is told over the page, and goes at the press of a button.

import { make } from "../dom.js";
import { frameWords } from "./words.js";

export function closeToasts() {
  for (const told of document.querySelectorAll(".change-list .messagelist li:has(.undo)")) {
    const button = make("button", { type: "button", class: "icon-button", "aria-label": frameWords().say("close") }, "×");
    button.addEventListener("click", () => told.remove());
    told.append(button);
  }
}
