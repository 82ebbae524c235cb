// The toolbar: one row and one stop of the Tab key, in which arrows move. What is used less often is behind "More".

import { freshId, icon, make } from "../dom.js";
import { SHORTCUT, spell } from "./keys.js";
import { popupButton } from "./popup.js";
import { GROUPS, REST } from "./tools.js";

export class Toolbar {
  /** `context` is what tools act on; `views` are tools that work without a visual editor, too. */
  constructor(context, views) {
    const { words } = context;
    this.context = context;
    this.tools = [];
    this.element = make("div", { class: "editor-toolbar", role: "toolbar", "aria-label": words.say("toolbar"), "aria-orientation": "horizontal" });
    const groups = GROUPS.map((group) => this.drawGroup(group));
    this.rest = make("div", { class: "editor-rest", id: freshId("editor-rest"), hidden: true });
    const more = { name: "more_tools", isView: true, run: () => this.showRest(this.rest.hidden) };
    this.element.append(...groups, this.drawGroup([more]), this.rest);
    this.more = this.tools.at(-1).button;
    this.more.setAttribute("aria-controls", this.rest.id);
    this.showRest(false);
    this.rest.append(...[...REST, views].map((group) => this.drawGroup(group)));
    this.element.addEventListener("keydown", (event) => this.move(event));
    this.element.addEventListener("focusin", (event) => this.stopAt(event.target.closest(".editor-tool")));
    this.stopAt(this.tools[0].button);
  }

  drawGroup(tools) {
    return make("div", { class: "editor-group", role: "group" }, ...tools.map((tool) => this.draw(tool)));
  }

  showRest(isShown) {
    this.rest.hidden = !isShown;
    this.more.setAttribute("aria-expanded", String(isShown));
  }

  draw(tool) {
    const { words } = this.context;
    if (tool.fill) {
      const text = tool.text && make("span", { class: "editor-opener-text" });
      const fill = (close) => tool.fill(this.context, close);
      const { holder, opener } = popupButton({ ...tool, text, label: words.say(tool.name), fill });
      this.tools.push({ ...tool, button: opener, textElement: text });
      return holder;
    }
    const keys = SHORTCUT[tool.name] ? spell(SHORTCUT[tool.name]) : "";
    const label = words.say(tool.name);
    const button = make(
      "button",
      { type: "button", class: "editor-tool", "data-tool": tool.name, "aria-label": label, title: keys ? `${label} (${keys})` : label, tabindex: "-1" },
      icon(tool.name),
    );
    // Not "disabled": who has just used a tool keeps the focus on it.
    button.addEventListener("click", () => button.getAttribute("aria-disabled") === "true" || tool.run(this.context));
    button.addEventListener("mousedown", (event) => event.preventDefault());
    this.tools.push({ ...tool, button });
    return button;
  }

  stopAt(button) {
    if (!button) {
      return;
    }
    for (const tool of this.tools) {
      tool.button.tabIndex = tool.button === button ? 0 : -1;
    }
  }

  focus() {
    this.tools.find(({ button }) => button.tabIndex === 0).button.focus();
  }

  move(event) {
    const buttons = this.tools.map(({ button }) => button).filter((button) => !button.closest("[hidden]"));
    const place = buttons.indexOf(document.activeElement);
    const next = {
      ArrowRight: (place + 1) % buttons.length,
      ArrowLeft: (place + buttons.length - 1) % buttons.length,
      Home: 0,
      End: buttons.length - 1,
    }[event.key];
    if (place >= 0 && next !== undefined) {
      event.preventDefault();
      buttons[next].focus();
    } else if (event.key === "Escape") {
      this.context.focus();
    }
  }

  /** Show which tools are on and which can be used. */
  update() {
    const isSource = this.context.isSource();
    for (const tool of this.tools) {
      const works = tool.isView || (!isSource && (!tool.can || tool.can(this.context)));
      tool.button.setAttribute("aria-disabled", String(!works));
      if (tool.fill) {
        tool.button.disabled = isSource;
      }
      if (tool.isOn) {
        tool.button.setAttribute("aria-pressed", String((tool.isView || !isSource) && Boolean(tool.isOn(this.context))));
      }
      if (tool.textElement && !isSource) {
        tool.textElement.textContent = tool.text(this.context);
      }
    }
  }
}
