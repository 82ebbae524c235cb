// What is typed in a form is kept in the browser until it is saved, and offered after a crash or the end of a session.

import { button, make } from "../dom.js";
import { allDrafts, DraftStore } from "./draft_store.js";
import { fieldsOf, fillForm, isSame, isShown, readForm, sentValuesOf, valuesOf } from "./fields.js";
import { Notices } from "./notices.js";
import { OpenPages } from "./open_pages.js";
import { ServerCopy } from "./server_copy.js";
import { isComeBack, isRefused } from "./unsaved.js";
import { frameWords, user } from "./words.js";

const AFTER = 2000; // milliseconds without typing
const COOKIE = "cms_saved_draft";
// Hidden fields that say which version of the record the form shows.
const VERSIONS = ["seen_version", "seen", "version"];

/** The key of a form: of whom, at which address, and which of the forms there. Parameters of lists say nothing of it. */
export function keyOf(form) {
  const query = new URLSearchParams(window.location.search);
  for (const name of [...query.keys()].filter((each) => each.startsWith("_"))) {
    query.delete(name);
  }
  query.sort();
  const place = form.id || [...document.querySelectorAll("main form:not([id])")].indexOf(form);
  return form.querySelector("[data-draft]")?.dataset.draft || `${user()}:${window.location.pathname}?${query}#${place}`;
}

/** Drops the drafts of forms that were sent, if the server says that it stored the form. */
export function dropSaved() {
  const saved = document.cookie.split("; ").find((each) => each.startsWith(`${COOKIE}=`))?.slice(COOKIE.length + 1);
  if (saved) {
    const store = new DraftStore(decodeURIComponent(saved));
    for (const { name } of store.others().filter(({ draft }) => draft.isSent)) {
      store.drop(name);
    }
    // biome-ignore lint/suspicious/noDocumentCookie: browsers have the Cookie Store API on secure origins only
    document.cookie = `${COOKIE}=; path=/; max-age=0; samesite=lax`;
  }
}

/** Whether the browser keeps a draft of a form of that page. */
export const hasDraftOf = (address) => allDrafts().some(({ draft }) => draft.page === new URL(address, window.location.href).pathname);

export class Draft {
  constructor(form) {
    this.form = form;
    this.key = keyOf(form);
    this.version = form.querySelector("[data-version]")?.dataset.version || VERSIONS.map((name) => form.elements[name]?.value).find(Boolean) || "";
    this.words = frameWords();
    this.notices = new Notices(form);
    this.store = new DraftStore(this.key);
    this.first = readForm(form, isComeBack() ? sentValuesOf : valuesOf);
    this.base = {};
    if (isRefused(form)) {
      this.adopt();
    }
    this.server = form.dataset.unsaved ? this.makeServerCopy() : null;
    this.pages = new OpenPages(this.store.name);
    this.offerLeft();
    for (const name of ["input", "change"]) {
      form.addEventListener(name, () => this.later());
    }
    document.addEventListener("visibilitychange", () => document.hidden && this.keep());
    window.addEventListener("pagehide", () => this.keep());
    // At the window, after every listener that may stop the form.
    window.addEventListener("submit", (event) => event.target === form && this.sent(event));
    form.addEventListener("formdata", ({ formData }) => this.name(formData));
    this.keep(); // browsers fill in what was typed when one goes back to a page
  }

  // The server says when the form is stored, and forgets what it has kept of it.
  name(formData) {
    formData.set("_draft_key", this.key);
    if (this.server) {
      formData.set("_draft_page", this.server.page);
    }
  }

  makeServerCopy() {
    return new ServerCopy(this.form, {
      page: this.form.dataset.unsavedPage || this.store.page,
      version: this.version,
      read: () => JSON.stringify(this.read()),
      stored: (text) => this.stored(text),
    });
  }

  // The browser needs no copy until something else is typed.
  stored(text) {
    this.say(text === "{}" ? "" : this.words.say("draftStored", { time: this.words.time(Date.now()) }));
    if (text === JSON.stringify(this.read())) {
      this.kept = text === "{}" ? null : text;
      this.store.drop();
    }
  }

  /** The values that differ from those at page load; someone else may have saved the other fields since. */
  read() {
    this.form.dispatchEvent(new Event("collect"));
    const values = Object.entries(readForm(this.form));
    return { ...this.base, ...Object.fromEntries(values.filter(([name, each]) => name in this.base || !isSame(each, this.first[name] ?? []))) };
  }

  // The page shows what was sent: its draft goes on here.
  adopt() {
    const present = readForm(this.form);
    const found = this.store.others().find(({ draft }) => draft.isSent && isShown(draft.fields, present));
    if (found) {
      this.base = found.draft.fields;
      this.store.drop(found.name);
    }
  }

  later() {
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.keep(), AFTER);
  }

  keep() {
    window.clearTimeout(this.timer);
    const fields = this.read();
    const text = JSON.stringify(fields);
    if (text === "{}") {
      this.store.drop();
      if (this.kept) {
        this.say("");
        this.server?.later();
      }
      this.kept = null;
    } else if (text !== this.kept) {
      this.kept = this.store.keep(this.draft(fields)) ? text : null;
      this.say(this.words.say(this.kept ? "draftKept" : "draftNotKept", { time: this.words.time(Date.now()) }));
    }
    this.server?.later();
  }

  draft(fields, isSent = false) {
    return { at: Date.now(), version: this.version, page: window.location.pathname, fields, isSent };
  }

  say(text) {
    this.state ??= this.makeState();
    this.state.textContent = text;
  }

  makeState() {
    const state = make("span", { class: "draft-state quiet", role: "status" });
    this.form.querySelector(".unsaved").after(state);
    return state;
  }

  sent(event) {
    // A preview is no saving, and what another listener stopped was not sent.
    if (event.submitter?.formTarget || event.defaultPrevented) {
      return;
    }
    this.keep();
    this.server?.stop();
    if (this.kept) {
      this.store.keep(this.draft(JSON.parse(this.kept), true));
    }
  }

  // What is written in another window that is open is no left draft.
  async offerLeft() {
    const [open, left] = await Promise.all([this.pages.ask(), this.left()]);
    this.form.dispatchEvent(new Event("collect"));
    const present = readForm(this.form);
    this.offer(left.filter(({ name, draft }) => !open.has(name) && !isShown(draft.fields, present)));
  }

  // Of a page that both the browser and the server know, the browser has the newer copy.
  async left() {
    const own = this.store.others();
    const texts = this.form.dataset.hasUnsaved === undefined ? [] : await this.server.others();
    const kept = texts.map(({ page, age, ...text }) => ({ name: this.store.nameOf(page), page, draft: { ...text, at: Date.now() - age * 1000 } }));
    const known = own.map((each) => ({ ...each, page: kept.find(({ name }) => name === each.name)?.page }));
    const others = kept.filter(({ name }) => !own.some((each) => each.name === name));
    return [...known, ...others].sort((one, other) => other.draft.at - one.draft.at);
  }

  offer([newest, ...older]) {
    if (!newest) {
      return;
    }
    const { words } = this;
    const { draft, name, page } = newest;
    const discard = () => {
      this.store.drop(name);
      if (page) {
        this.server.drop(page);
      }
      this.notices.take("draft");
      this.offer(older);
    };
    const restore = async () => {
      fillForm(this.form, draft.fields);
      this.keep();
      await this.server?.send();
      discard();
    };
    const text = words.say("draftFound", { time: words.time(draft.at) });
    const warning = this.version !== draft.version ? make("p", {}, words.say("draftIsOlder")) : "";
    this.notices.tell("draft", [make("p", {}, text), warning, this.differences(draft.fields)], button(words.say("restore"), restore, "default"), button(words.say("discard"), discard));
  }

  differences(fields) {
    const { words } = this;
    const rows = Object.entries(fields)
      .filter(([name, values]) => this.fields(name).length && !isSame(values, this.first[name] ?? []))
      .map(([name, values]) => make("li", {}, words.say(...this.difference(name, values))));
    return make("details", {}, make("summary", {}, words.say("differences")), make("ul", {}, ...rows));
  }

  // The words for what differs in a value, and what belongs into them.
  difference(name, values) {
    const fields = this.fields(name);
    const places = { name: fields[0].labels?.[0]?.textContent.trim().replace(/[:：]$/, "") || name };
    if (!fields.some((field) => field.matches("textarea, input:not([type=checkbox], [type=radio])"))) {
      return ["draftChooses", places];
    }
    const [before, after] = [this.first[name] ?? [], values].map((each) => [...each.join("")].length);
    const count = this.words.number(Math.abs(after - before));
    return [before === after ? "draftDiffers" : after > before ? "draftLonger" : "draftShorter", { ...places, count }];
  }

  fields(name) {
    return fieldsOf(this.form).filter((field) => field.name === name);
  }
}
