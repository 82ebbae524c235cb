// Messages with an Undo button float over a list. Each gets a button that closes it.

import { make } from "../dom.js";
import { whenever } from "./elements.js";
import { frameWords } from "./words.js";

whenever(".change-list .messagelist li:has(.undo)", (told) => {
  const button = make("button", { type: "button", class: "icon-button", "aria-label": frameWords().say("close") }, "×");
  button.addEventListener("click", () => told.remove());
  told.append(button);
});
