// What every page of the admin has: forms that lose nothing, and requests that say what became of them.

import "./action_bar.js";
import "./acts.js";
import "./bell.js";
import "./checkboxes.js";
import "./copy.js";
import "./goes_on.js";
import "./menu.js";
import "./palette.js";
import "./picker.js";
import "./selection.js";
import "./toasts.js";
import { Combobox } from "./combobox.js";
import { Draft, dropSaved, hasDraftOf } from "./draft.js";
import { whenever } from "./elements.js";
import { fieldsOf } from "./fields.js";
import * as requests from "./request.js";
import { shareToken } from "./session.js";
import { pressByKeys } from "./shortcuts.js";
import { sendFormsOnce } from "./submit_once.js";
import { Unsaved } from "./unsaved.js";
import { user } from "./words.js";

sendFormsOnce();
shareToken();
pressByKeys();
window.desk = { ...requests, Combobox, whenever }; // for the scripts of pages

// Then the scripts of the page have filled in what they fill in.
document.addEventListener("DOMContentLoaded", () => {
  if (user()) {
    dropSaved();
    for (const form of [...document.querySelectorAll("main form[method=post]")].filter((each) => fieldsOf(each).length)) {
      new Unsaved(form);
      new Draft(form);
    }
  }
  for (const told of document.querySelectorAll("[data-draft-of]")) {
    told.hidden = !hasDraftOf(told.dataset.draftOf);
  }
});
