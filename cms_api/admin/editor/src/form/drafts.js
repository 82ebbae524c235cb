// Keeps what is typed in the browser until it is saved, and offers it after a crash or a session that has ended.

import { button, make } from "../dom.js";
import { DraftStore } from "./draft_store.js";
import { OpenPages } from "./open_pages.js";

const AFTER = 2000; // milliseconds without typing
const NOT_KEPT = ["hidden", "password", "file", "submit", "button", "image", "reset"];
const PRESENT = { value: "value", checked: "checked", selected: "selected" };
const DEFAULTS = { value: "defaultValue", checked: "defaultChecked", selected: "defaultSelected" };
const COOKIE = "cms_saved_draft";

export class Drafts {
  constructor({ form, rich, words, notices, key, version }) {
    Object.assign(this, { form, rich, words, notices, version });
    this.store = new DraftStore(key);
    this.first = this.read(DEFAULTS);
    this.takeSaved(key);
    this.pages = new OpenPages(this.store.name);
    this.offerLeft();
    form.addEventListener("input", () => this.later());
    form.addEventListener("change", () => this.later());
    rich.editor.on("update", () => this.later());
    document.addEventListener("visibilitychange", () => document.hidden && this.keep());
    window.addEventListener("pagehide", () => this.keep());
    form.addEventListener("submit", (event) => this.sent(event));
    this.keep(); // browsers fill in what was typed when one goes back to a page
  }

  /** The values of the form by name, as they are or as the server sent them; secrets and hidden ones are left out. */
  read({ value, checked, selected } = PRESENT) {
    this.rich.flush();
    const fields = {};
    for (const element of this.form.elements) {
      if (!element.name || NOT_KEPT.includes(element.type) || element.closest("dialog")) {
        continue;
      }
      fields[element.name] ??= [];
      const values = fields[element.name];
      if (element.type === "select-multiple") {
        values.push(...[...element.options].filter((option) => option[selected]).map((option) => option.value));
      } else if (element.type === "select-one") {
        const options = [...element.options];
        values.push((options.find((option) => option[selected]) || options[0])?.value ?? "");
      } else if (["checkbox", "radio"].includes(element.type)) {
        values.push(...(element[checked] ? [element.value] : []));
      } else {
        values.push(element[value]);
      }
    }
    return fields;
  }

  later() {
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.keep(), AFTER);
  }

  keep() {
    window.clearTimeout(this.timer);
    const fields = this.read();
    if (this.isSent && this.kept === JSON.stringify(fields)) {
      return;
    }
    if (isSame(fields, this.first)) {
      this.store.drop();
      this.kept = null;
      return;
    }
    const text = JSON.stringify(fields);
    if (text === this.kept) {
      return;
    }
    const at = Date.now();
    const isKept = this.store.keep({ at, version: this.version, fields });
    this.kept = isKept ? text : null;
    this.isSent = false;
    this.rich.state.textContent = this.words.say(isKept ? "draft_kept" : "draft_not_kept", { time: this.words.time(at) });
  }

  sent(event) {
    // A preview is no saving, and what another listener stopped was not sent.
    if (event.submitter?.formTarget || event.defaultPrevented) {
      return;
    }
    this.keep();
    this.isSent = true;
    if (this.kept) {
      this.store.keep({ at: Date.now(), version: this.version, fields: JSON.parse(this.kept), isSent: true });
    }
  }

  // The server names the record whose form was saved; a newer version says so as well.
  takeSaved(key) {
    const saved = document.cookie.split("; ").find((each) => each.startsWith(`${COOKIE}=`))?.slice(COOKIE.length + 1);
    const isSaved = saved && decodeURIComponent(saved) === key;
    for (const { name, draft } of this.store.others()) {
      const isNewer = this.version && Number(this.version) > Number(draft.version);
      if (draft.isSent && (isSaved || isNewer)) {
        this.store.drop(name);
      }
    }
    if (isSaved) {
      // biome-ignore lint/suspicious/noDocumentCookie: browsers have the Cookie Store API on secure origins only
      document.cookie = `${COOKIE}=; path=/; max-age=0; samesite=lax`;
    }
  }

  // What is written in another window that is open is nobody's left draft.
  async offerLeft() {
    const present = this.read();
    const open = await this.pages.ask();
    this.offer(this.store.others().filter(({ name, draft }) => !open.has(name) && !isSame(draft.fields, present)));
  }

  offer([newest, ...older]) {
    if (!newest) {
      return;
    }
    const { words } = this;
    const { draft, name } = newest;
    const discard = () => {
      this.store.drop(name);
      this.notices.take("draft");
      this.offer(older);
    };
    const restore = () => {
      this.restore(draft.fields);
      this.keep();
      discard();
    };
    const text = words.say("draft_found", { time: words.time(draft.at) });
    const warning = this.version && Number(draft.version) < Number(this.version) ? make("p", {}, words.say("draft_is_older")) : "";
    this.notices.tell("draft", [make("p", {}, text), warning, this.differences(draft.fields)], button(words.say("restore"), restore, "default"), button(words.say("discard"), discard));
  }

  differences(fields) {
    const { words } = this;
    const rows = Object.entries(fields)
      .filter(([name, values]) => this.form.elements[name] && !isSame({ name: values }, { name: this.first[name] || [] }))
      .map(([name, values]) => make("li", {}, words.say(...this.difference(name, values))));
    return make("details", {}, make("summary", {}, words.say("differences")), make("ul", {}, ...rows));
  }

  // The words for what differs in a value, and what belongs into them.
  difference(name, values) {
    const places = { name: this.labelOf(name) };
    if (!this.elements(name).some((element) => element.matches("textarea, input:not([type=checkbox], [type=radio])"))) {
      return ["draft_chooses", places];
    }
    const [before, after] = [this.first[name] || [], values].map((each) => [...each.join("")].length);
    const count = this.words.number(Math.abs(after - before));
    return [before === after ? "draft_differs" : after > before ? "draft_longer" : "draft_shorter", { ...places, count }];
  }

  labelOf(name) {
    const [element] = this.elements(name);
    return element?.labels?.[0]?.textContent.trim().replace(/[:：]$/, "") || name;
  }

  elements(name) {
    const found = this.form.elements[name];
    return found instanceof RadioNodeList ? [...found] : found ? [found] : [];
  }

  restore(fields) {
    for (const name of Object.keys(this.first)) {
      const values = fields[name] || [];
      this.elements(name).filter((element) => !NOT_KEPT.includes(element.type)).forEach((element, index) => fill(element, values, index));
    }
    this.rich.open(this.rich.area.value);
    this.form.dispatchEvent(new Event("change", { bubbles: true }));
  }
}

function fill(element, values, index) {
  if (["checkbox", "radio"].includes(element.type)) {
    element.checked = values.includes(element.value);
  } else if (element.type === "select-multiple") {
    [...element.options].forEach((option) => {
      option.selected = values.includes(option.value);
    });
  } else {
    element.value = values[index] ?? "";
  }
  element.dispatchEvent(new Event("input", { bubbles: true })); // for what counts its characters
}

const isSame = (one, other) => JSON.stringify(Object.entries(one).sort()) === JSON.stringify(Object.entries(other).sort());
