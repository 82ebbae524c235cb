// A form that was changed says so, and asks before it is left.

import { make } from "../dom.js";
import { fieldsOf, isSame, sentValuesOf, valuesOf } from "./fields.js";
import { frameWords } from "./words.js";

// Of a form that the server sent back: what was typed is not stored.
export const isRefused = (form) => form.querySelector(".errorlist, .errors, #form-errors, #conflict") !== null;

/** Whether the browser may have put back what was typed before, by Back or after a crash. */
export const isComeBack = () => ["back_forward", "reload"].includes(performance.getEntriesByType("navigation")[0]?.type);

export class Unsaved {
  constructor(form) {
    this.form = form;
    this.isLeaving = false;
    this.isRefused = isRefused(form);
    const read = isComeBack() ? sentValuesOf : valuesOf;
    this.first = new Map(fieldsOf(form).map((field) => [field, read(field)]));
    this.state = form.querySelector(".unsaved") ?? this.makeState();
    this.saved = this.state.textContent.trim();
    for (const name of ["input", "change", "restored"]) {
      form.addEventListener(name, () => this.say());
    }
    window.addEventListener("beforeunload", (event) => {
      if (!this.isLeaving && this.isChanged()) {
        event.preventDefault();
      }
    });
    // At the window, after every listener that may stop the form.
    window.addEventListener("submit", (event) => {
      if (event.target === form && !event.defaultPrevented && !event.submitter?.formTarget) {
        this.isLeaving = true;
        this.state.textContent = frameWords().say("saving");
      }
    });
    form.addEventListener("released", () => {
      this.isLeaving = false;
      this.say();
    });
    this.say();
  }

  makeState() {
    const state = make("span", { class: "unsaved", role: "status" });
    (this.form.querySelector(".save-bar, .submit-row") ?? this.form).append(state);
    return state;
  }

  isChanged() {
    this.form.dispatchEvent(new Event("collect")); // editors write into their fields
    return this.isRefused || this.differs();
  }

  differs() {
    return fieldsOf(this.form).some((field) => !isSame(valuesOf(field), this.first.get(field) ?? []));
  }

  say() {
    const text = this.differs() ? frameWords().say("unsaved") : this.saved;
    if (this.state.textContent !== text) {
      this.state.textContent = text;
    }
  }
}
