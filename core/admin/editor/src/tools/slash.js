// The menu that a "/" at the start of a line opens: what is typed behind it narrows it, Enter takes the marked row.

import { Extension } from "@tiptap/core";
import { Plugin } from "@tiptap/pm/state";
import { freshId, icon, make } from "../dom.js";

export class SlashMenu {
  /** `items` are {name, label, run}; `context` is what they act on. */
  constructor(context, box, items) {
    Object.assign(this, { context, items, shown: [], active: 0, isClosed: false });
    const id = freshId("editor-slash");
    this.element = make("div", { class: "editor-popup editor-slash", id, role: "listbox", "aria-label": context.words.say("slash"), hidden: true });
    this.element.addEventListener("mousedown", (event) => event.preventDefault());
    this.box = box;
    box.append(this.element);
  }

  // The words behind the "/" that begins the line of the cursor; null without one.
  get query() {
    const { $from, empty } = this.context.editor.state.selection;
    const text = empty && $from.parent.type.name === "paragraph" ? $from.parent.textBetween(0, $from.parentOffset, "", "\ufffc") : "";
    return /^\/[^\s/]*$/u.test(text) ? text.slice(1).toLowerCase() : null;
  }

  /** Follow the text. A selection that exists before the first input opens nothing. */
  update(isTyped) {
    const { query } = this;
    if (query === null) {
      this.isClosed = false;
    }
    const isOpen = query !== null && !this.isClosed && (isTyped || !this.element.hidden) && this.context.editor.view.hasFocus();
    this.shown = isOpen ? this.items.filter(({ name, label }) => `${label} ${name}`.toLowerCase().includes(query)) : [];
    this.active = 0;
    this.draw();
  }

  draw() {
    const { view } = this.context.editor;
    const { element } = this;
    element.hidden = this.shown.length === 0;
    element.replaceChildren(...this.shown.map((item, place) => this.row(item, place)));
    if (element.hidden) {
      view.dom.removeAttribute("aria-activedescendant");
      return;
    }
    view.dom.setAttribute("aria-activedescendant", `${element.id}-${this.active}`);
    const [cursor, box] = [view.coordsAtPos(this.context.editor.state.selection.from), this.box.getBoundingClientRect()];
    const isAbove = cursor.bottom + element.offsetHeight > window.innerHeight - 80 && cursor.top > element.offsetHeight;
    element.style.top = `${(isAbove ? cursor.top - element.offsetHeight - 4 : cursor.bottom + 4) - box.top}px`;
    element.style.left = `${Math.max(0, Math.min(cursor.left - box.left, box.width - element.offsetWidth))}px`;
  }

  row(item, place) {
    const attributes = { role: "option", id: `${this.element.id}-${place}`, "aria-selected": String(place === this.active), "data-item": item.name };
    return make("div", { ...attributes, click: () => this.take(item) }, icon(item.icon ?? item.name), item.label);
  }

  take(item) {
    const { editor } = this.context;
    const { $from } = editor.state.selection;
    editor.chain().focus().deleteRange({ from: $from.start(), to: $from.pos }).run();
    item.run(this.context);
  }

  /** Whether the key was for the menu. */
  press(event) {
    if (this.element.hidden || event.isComposing) {
      return false;
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      this.active = (this.active + step + this.shown.length) % this.shown.length;
      this.draw();
    } else if (event.key === "Enter" || event.key === "Tab") {
      this.take(this.shown[this.active]);
    } else if (event.key === "Escape") {
      this.isClosed = true;
      this.update(false);
    }
    return step !== undefined || ["Enter", "Tab", "Escape"].includes(event.key);
  }
}

/** Gives the menu its keys before anything else has them. */
export const slashKeys = (menu) =>
  Extension.create({
    name: "slash",
    priority: 1000,
    addProseMirrorPlugins: () => [new Plugin({ props: { handleKeyDown: (_view, event) => menu()?.press(event) ?? false } })],
  });
