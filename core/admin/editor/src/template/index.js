// The editor of page templates: CodeMirror instead of the text area, with completion and errors while typing.

import { Words } from "../words.js";
import { edit } from "./edit.js";

for (const frame of document.querySelectorAll(".template-editor")) {
  const textarea = frame.querySelector("textarea");
  if (textarea && !textarea.readOnly) {
    edit(frame, textarea, new Words(JSON.parse(frame.dataset.words)));
  }
}
