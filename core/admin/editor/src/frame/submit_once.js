// A form is sent once: a second click sends nothing until the answer is there, is late, or was stopped.

import { button, make } from "../dom.js";
import { frameWords } from "./words.js";

const PATIENCE = 8_000; // milliseconds until the form may be sent again
const LONG = 60_000; // for forms that say themselves that they take long (`data-busy`)
const sent = new Map(); // forms that are being sent, and what gives each free

// What goes to another window or frame, such as a preview, leaves the page as it is.
const isSending = ({ target, submitter }) => (submitter?.getAttribute("formmethod") ?? target.getAttribute("method")) === "post" && !(submitter?.formTarget || target.target);

export function sendFormsOnce() {
  document.addEventListener("submit", refuseSecond, true);
  // At the window, after every listener that may stop the form.
  window.addEventListener("submit", (event) => !event.defaultPrevented && isSending(event) && begin(event.target, event.submitter));
  window.addEventListener("pageshow", () => giveFree());
  // Stopped, by Escape or by the browser's button; browsers without navigation events tell of the key alone.
  if (window.navigation) {
    window.navigation.addEventListener("navigateerror", () => giveFree("stopped"));
  } else {
    document.addEventListener("keydown", ({ key }) => key === "Escape" && giveFree("stopped"));
  }
}

function refuseSecond(event) {
  if (sent.has(event.target) && isSending(event)) {
    event.preventDefault();
    event.stopImmediatePropagation();
  }
}

function begin(form, submitter) {
  const takesLong = form.dataset.busy;
  takeNote(form);
  form.setAttribute("aria-busy", "true");
  if (takesLong) {
    note(form, submitter, takesLong);
  }
  let restore = () => {};
  // A button that is disabled at once would not be sent with the form.
  const hiding = window.setTimeout(() => {
    restore = hold(submitter);
  });
  const late = window.setTimeout(() => giveFree("slow"), takesLong ? LONG : PATIENCE);
  sent.set(form, (why) => {
    window.clearTimeout(hiding);
    window.clearTimeout(late);
    restore();
    form.removeAttribute("aria-busy");
    takeNote(form);
    if (why && form.dataset.download === undefined) {
      const again = button(frameWords().say("sendAgain"), () => form.requestSubmit(submitter?.isConnected ? submitter : null));
      note(form, submitter, frameWords().say(why), again);
    }
    form.dispatchEvent(new Event("released"));
  });
}

function giveFree(why = "") {
  const held = [...sent.values()];
  sent.clear();
  for (const free of held) {
    free(why);
  }
}

/** Disables the button and says that the form is being saved; returns what undoes that. */
function hold(submitter) {
  if (!submitter) {
    return () => {};
  }
  const isInput = submitter.matches("input");
  const before = isInput ? submitter.value : [...submitter.childNodes];
  submitter.disabled = true;
  if (submitter.closest("main") && submitter.form?.dataset.download === undefined) {
    const saving = frameWords().say("saving");
    if (isInput) {
      submitter.value = saving;
    } else {
      submitter.textContent = saving;
    }
  }
  return () => {
    submitter.disabled = false;
    if (isInput) {
      submitter.value = before;
    } else {
      submitter.replaceChildren(...before);
    }
  };
}

const takeNote = (form) => form.querySelector(".sending-note")?.remove();

function note(form, submitter, text, ...ways) {
  const made = make("p", { class: "sending-note", role: "status" }, text, " ", ...ways);
  const row = submitter?.closest("p, div");
  if (row && row !== form && form.contains(row)) {
    row.after(made);
  } else {
    form.append(made);
  }
}
