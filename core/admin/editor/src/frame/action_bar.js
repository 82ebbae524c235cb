// Actions are offered once something is chosen; the keyboard leads from chosen rows to their bar and back. Without this file
// they are always offered, and the bar is reached by Tab alone.

import { whenever } from "./elements.js";

const ROWS = 'input.action-select, form[data-actions] input[name="ids"]';

class Way {
  constructor(bar) {
    this.bar = bar;
    this.form = bar.closest("form");
    this.left = null; // the row from which the bar was entered
    this.link = document.createElement("button");
    this.link.type = "button";
    this.link.className = "button default to-actions";
    this.link.addEventListener("click", () => this.enter(this.row));
    this.form.addEventListener("focusin", (event) => this.follow(event.target));
    this.form.addEventListener("change", (event) => this.follow(event.target));
    this.form.addEventListener("keydown", (event) => this.onKey(event));
    for (const event of ["change", "click"]) {
      this.form.addEventListener(event, () => this.offer()); // clicks: what chooses nothing any more is a link
    }
    window.addEventListener("pageshow", () => this.offer());
    this.labelPage();
    for (const box of this.form.querySelectorAll(ROWS)) {
      box.title ||= bar.dataset.hint;
    }
  }

  // Where rows are cards the box that chooses all of them stands alone; style sheets show its label there only.
  labelPage() {
    const all = this.form.querySelector("#action-toggle");
    if (all) {
      const label = document.createElement("label");
      label.className = "page-label";
      label.htmlFor = all.id;
      label.textContent = this.bar.dataset.page;
      all.after(label);
    }
  }

  get number() {
    return this.form.querySelectorAll("input.action-select:checked, input[name='ids']:checked").length;
  }

  offer() {
    for (const button of this.bar.querySelectorAll(".action-buttons button")) {
      button.disabled = !this.number;
    }
  }

  actions() {
    const found = [...this.bar.querySelectorAll(".action-buttons button, .action-buttons summary")];
    return found.filter((act) => act.checkVisibility());
  }

  // The button stands behind the box that has the focus, so that the next Tab leads to it.
  follow(target) {
    if (!target.matches?.(ROWS)) {
      return;
    }
    this.row = target;
    if (this.number) {
      this.link.textContent = this.bar.dataset.way.replace("{number}", this.number);
      target.after(this.link);
    } else {
      this.link.remove();
    }
  }

  enter(row) {
    this.left = row;
    this.actions()[0]?.focus();
  }

  onKey(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) {
      return;
    }
    if (event.key === "Enter" && event.target.matches(ROWS)) {
      // Else the form would be sent by its first button.
      event.preventDefault();
      if (this.number) {
        this.enter(event.target);
      }
    } else if (this.bar.contains(event.target)) {
      this.onKeyInBar(event);
    }
  }

  onKeyInBar(event) {
    const actions = this.actions();
    const at = actions.indexOf(document.activeElement);
    const to = {
      ArrowRight: actions[at + 1],
      ArrowLeft: actions[at - 1],
      ArrowDown: actions[at + 1],
      ArrowUp: actions[at - 1],
      Home: actions[0],
      End: actions[actions.length - 1],
    };
    if (at >= 0 && event.key in to) {
      event.preventDefault();
      to[event.key]?.focus();
    } else if (event.key === "Escape" && !event.defaultPrevented && this.left) {
      this.left.focus();
    }
  }
}

whenever("form .action-bar[data-way]", (bar) => new Way(bar));
