// A small toolbar over text that is selected, for the mouse: the keyboard has its keys, and the toolbar above.

import { icon, make } from "../dom.js";

export class Bubble {
  constructor(context, box, tools) {
    const { words } = context;
    Object.assign(this, { context, box });
    this.tools = tools.map((tool) => {
      const label = words.say(tool.name);
      const button = make("button", { type: "button", class: "editor-tool", tabindex: "-1", "aria-label": label, title: label, click: () => tool.run(context) }, icon(tool.name));
      return { ...tool, button };
    });
    this.element = make("div", { class: "editor-bubble", role: "toolbar", "aria-label": words.say("bubble"), hidden: true }, ...this.tools.map(({ button }) => button));
    this.element.addEventListener("mousedown", (event) => event.preventDefault());
    box.append(this.element);
  }

  update() {
    const { editor, isSource } = this.context;
    const { selection } = editor.state;
    const isText = !selection.empty && !selection.node && !selection.$anchorCell;
    this.element.hidden = isSource() || !editor.view.hasFocus() || !isText;
    if (!this.element.hidden) {
      this.place(selection);
      for (const { button, isOn } of this.tools) {
        button.setAttribute("aria-pressed", String(Boolean(isOn(this.context))));
      }
    }
  }

  // Above the selection; below it where the toolbar is.
  place({ from, to }) {
    const { view } = this.context.editor;
    const [start, end, box] = [view.coordsAtPos(from), view.coordsAtPos(to, -1), this.box.getBoundingClientRect()];
    const { offsetHeight: height, offsetWidth: width } = this.element;
    const bar = this.box.querySelector(".editor-toolbar").getBoundingClientRect();
    const top = start.top - height - 6 < bar.bottom ? end.bottom + 6 : start.top - height - 6;
    this.element.style.top = `${top - box.top}px`;
    this.element.style.left = `${Math.max(0, Math.min(start.left - box.left, box.width - width))}px`;
  }
}
