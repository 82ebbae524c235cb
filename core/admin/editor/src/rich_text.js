// The editor over one text area, which stays what the form sends.

import { Editor, Extension } from "@tiptap/core";
import { Selection } from "@tiptap/pm/state";
import { countText } from "./counting.js";
import { askLink, linkPasted } from "./dialogs/link.js";
import { askPicture, askPiece } from "./dialogs/pieces.js";
import { tell } from "./dialogs/list.js";
import { button, freshId, make } from "./dom.js";
import { drawAgain, eachLink, Links } from "./links.js";
import { clipboardSerializer } from "./markup/clipboard.js";
import { read, survives, write } from "./markup/reading.js";
import { cleanPasted } from "./paste/clean.js";
import { extensions } from "./schema/index.js";
import { Sources } from "./sources.js";
import { Bubble } from "./tools/bubble.js";
import { SHORTCUTS, spell } from "./tools/keys.js";
import { SlashMenu, slashKeys } from "./tools/slash.js";
import { Toolbar } from "./tools/toolbar.js";
import { OVER_SELECTION, slashItems } from "./tools/tools.js";
import { Uploads, uploadInto } from "./uploads/in_text.js";

const WRITE_AFTER = 300; // milliseconds without typing
// What a browser draws and writes within a second or two; larger texts open as source.
const MOST_CHARACTERS = 500_000;
const MOST_TAGS = 20_000;

const isLarge = (html) => html.length > MOST_CHARACTERS || html.split("<", MOST_TAGS + 2).length > MOST_TAGS + 1;

// What a key does is all that it does.
const handled = (act) => () => {
  act();
  return true;
};

export class RichText {
  constructor(box, words) {
    this.box = box;
    this.words = words;
    this.area = box.querySelector("textarea");
    this.upload = { address: box.dataset.upload, token: () => this.area.form.elements.csrfmiddlewaretoken.value };
    this.links = new Links(box.dataset.links);
    this.draw();
    this.sources = new Sources(box.dataset.siteRoot);
    this.editor = this.makeEditor(this.sources);
    this.toolbar = new Toolbar(this.context(), this.views());
    this.box.prepend(this.toolbar.element);
    this.bubble = new Bubble(this.context(), box, OVER_SELECTION);
    this.slash = new SlashMenu(this.context(), box, slashItems(words));
    this.surface.addEventListener("scroll", () => this.bubble.update());
    this.open(this.area.value);
    this.area.addEventListener("input", () => this.count());
    this.area.form.addEventListener("submit", () => this.flush(), true);
    this.area.form.addEventListener("collect", () => this.flush());
    this.area.form.addEventListener("restored", () => this.open(this.area.value));
    this.followLabel();
    box.editor = this; // for whoever fills the field by script
  }

  draw() {
    const { words } = this;
    this.notice = make("div", { class: "editor-notice", role: "status" });
    this.surface = make("div", { class: "editor-surface" });
    this.counts = make("span", { class: "editor-counts" });
    this.unnamed = button("", () => this.nextUnnamed(), "editor-unnamed");
    this.hiddenTargets = button("", () => this.nextHidden(), "editor-unnamed");
    const hint = make("span", { class: "editor-hint" }, words.say("toolbar_hint", { keys: spell("Alt-F10") }));
    this.status = make("div", { class: "editor-status" }, this.counts, this.unnamed, this.hiddenTargets, hint);
    this.area.classList.add("editor-source");
    this.area.before(this.notice, this.surface);
    this.area.after(this.status);
  }

  context() {
    const { words, upload, sources, links } = this;
    return { editor: this.editor, words, upload, sources, links, isSource: () => this.isSource, focus: () => this.focus() };
  }

  makeEditor(sources) {
    const { words } = this;
    const editor = new Editor({
      element: this.surface,
      injectCSS: false,
      extensions: [
        ...extensions({ words, sources, links: this.links, open: () => this.openSelected() }),
        this.keys(),
        slashKeys(() => this.slash),
        ...(this.upload.address ? [Uploads.configure({ upload: { ...this.upload, words } })] : []),
      ],
      editorProps: {
        attributes: { role: "textbox", "aria-multiline": "true", class: "editor-text", ...this.labels() },
        clipboardSerializer,
        transformPastedHTML: (html) => this.paste(html),
        handlePaste: (_view, { clipboardData }) => linkPasted(this.editor, clipboardData.getData("text/plain")),
      },
      onTransaction: ({ transaction }) => this.changed(transaction.docChanged),
      onBlur: () => this.changed(false),
    });
    return editor;
  }

  labels() {
    const label = this.area.labels[0];
    if (!label) {
      return { "aria-label": this.words.say("text") };
    }
    label.id ||= freshId("editor-label");
    const described = this.area.getAttribute("aria-describedby");
    const invalid = this.area.getAttribute("aria-invalid");
    return { "aria-labelledby": label.id, ...(described && { "aria-describedby": described }), ...(invalid && { "aria-invalid": invalid }) };
  }

  followLabel() {
    for (const label of this.area.labels) {
      label.addEventListener("click", (event) => {
        event.preventDefault();
        this.focus();
      });
    }
  }

  keys() {
    const toggleFullScreen = handled(() => this.toggleFullScreen());
    return Extension.create({
      name: "keys",
      addKeyboardShortcuts: () => ({
        "Mod-k": handled(() => askLink(this.context())),
        "Alt-F10": handled(() => this.toolbar.focus()),
        "Alt-0": handled(() => this.tellShortcuts()),
        "Alt-Shift-f": toggleFullScreen,
        Escape: () => this.isFull && toggleFullScreen(),
      }),
    });
  }

  views() {
    return [
      { name: "source", isView: true, isOn: () => this.isSource, run: () => this.toggleSource() },
      { name: "full_screen", isView: true, isOn: () => this.isFull, run: () => this.toggleFullScreen() },
      { name: "shortcuts", isView: true, run: () => this.tellShortcuts() },
    ];
  }

  // ---- The text

  /** Show the text; as HTML when the visual editor would lose some of it. */
  open(html) {
    this.area.value = html;
    this.loaded = null;
    const fits = this.fits(html);
    this.setSource(!fits);
    if (fits) {
      this.load(html);
    } else {
      this.say(this.words.say(isLarge(this.area.value) ? "too_large" : "would_lose"), [this.words.say("edit_anyway"), () => this.editAnyway()]);
    }
    this.changed(false);
  }

  fits(html) {
    try {
      return !isLarge(html) && survives(this.editor.schema, html);
    } catch {
      return false;
    }
  }

  editAnyway() {
    this.say("");
    this.setSource(false);
    this.load(this.area.value);
    this.focus();
  }

  /** Fill the visual editor; what is loaded is written back as it was until something changes. */
  load(html) {
    const doc = read(this.editor.schema, html);
    this.loaded = null;
    const { tr } = this.editor.state;
    tr.replaceWith(0, tr.doc.content.size, doc.content).setMeta("addToHistory", false).setMeta("preventUpdate", true);
    // Else the caret would be carried to the end, and the tools tell of what stands there.
    tr.setSelection(Selection.atStart(tr.doc));
    this.editor.view.dispatch(tr);
    this.loaded = { html, doc: this.editor.state.doc };
    this.area.value = html;
    this.changed(false);
    this.learnLinks();
  }

  async learnLinks() {
    const addresses = [];
    eachLink(this.editor.state.doc, (href) => addresses.push(href));
    if (await this.links.learn(addresses)) {
      drawAgain(this.editor);
    }
  }

  changed(isOther) {
    if (!this.toolbar) {
      return;
    }
    this.isTyped ||= isOther;
    if (isOther && this.loaded && !this.isSource) {
      window.clearTimeout(this.timer);
      this.timer = window.setTimeout(() => this.flush(), WRITE_AFTER);
    }
    window.cancelAnimationFrame(this.frame);
    this.frame = window.requestAnimationFrame(() => {
      this.toolbar.update();
      this.bubble.update();
      this.slash.update(this.isTyped);
      this.isTyped = false;
      this.count();
    });
  }

  /** Write the text into the text area at once. */
  flush() {
    window.clearTimeout(this.timer);
    if (this.isSource || !this.loaded) {
      return;
    }
    this.learnLinks();
    const { doc } = this.editor.state;
    const html = doc.eq(this.loaded.doc) ? this.loaded.html : write(doc);
    if (html !== this.area.value) {
      this.area.value = html;
      this.area.dispatchEvent(new Event("input", { bubbles: true }));
      this.area.dispatchEvent(new Event("change", { bubbles: true }));
    }
  }

  /** The HTML as it would be sent now. */
  get value() {
    this.flush();
    return this.area.value;
  }

  count() {
    const { words } = this;
    const { doc } = this.editor.state;
    const isSource = this.isSource;
    const counted = countText(isSource ? this.area.value : doc.textBetween(0, doc.content.size, "\n", " "));
    const name = isSource ? "count_source" : "count";
    this.counts.textContent = words.say(name, { words: words.number(counted.words), characters: words.number(counted.characters) });
    this.warn(this.unnamed, "unnamed_pictures", isSource ? 0 : this.unnamedPictures().length);
    this.warn(this.hiddenTargets, "hidden_targets", isSource ? 0 : this.linksToHidden().length);
  }

  warn(warning, name, count) {
    warning.hidden = count === 0;
    warning.textContent = this.words.say(name, { count: this.words.number(count) });
  }

  unnamedPictures() {
    const found = [];
    this.editor.state.doc.descendants((node, at) => {
      if (node.type.name === "image" && !node.attrs.kept?.alt) {
        found.push(at);
      }
    });
    return found;
  }

  linksToHidden() {
    const found = [];
    eachLink(this.editor.state.doc, (href, at) => this.links.isHidden(href) && found.push(at));
    return found;
  }

  next(found) {
    return found.find((at) => at > this.editor.state.selection.from) ?? found[0];
  }

  nextHidden() {
    this.editor.chain().setTextSelection(this.next(this.linksToHidden()) + 1).focus().scrollIntoView().run();
    askLink(this.context());
  }

  nextUnnamed() {
    this.editor.chain().setNodeSelection(this.next(this.unnamedPictures())).focus().scrollIntoView().run();
    askPicture(this.context());
  }

  openSelected() {
    const name = this.editor.state.selection.node?.type.name;
    if (name === "image") {
      askPicture(this.context());
    } else if (name === "piece") {
      askPiece(this.context());
    }
  }

  paste(pasted) {
    const { html, lost } = cleanPasted(pasted);
    if (lost.length) {
      this.say(this.words.say("pictures_not_pasted", { names: lost.join(", ") }));
    }
    return html;
  }

  uploadFiles(files) {
    uploadInto(this.editor, files, this.editor.state.selection.to, { ...this.upload, words: this.words });
  }

  // ---- What is shown

  say(text, action = null) {
    this.notice.replaceChildren(...(text ? [make("span", {}, text)] : []));
    if (action) {
      this.notice.append(button(...action));
    }
    if (text) {
      this.notice.append(button(this.words.say("close"), () => this.say("")));
    }
  }

  toggleSource() {
    if (!this.isSource) {
      this.flush();
      this.setSource(true);
      this.say("");
      this.area.focus();
    } else if (this.fits(this.area.value)) {
      this.editAnyway();
    } else {
      this.say(this.words.say(isLarge(this.area.value) ? "too_large" : "would_lose"), [this.words.say("edit_anyway"), () => this.editAnyway()]);
    }
  }

  setSource(isSource) {
    this.isSource = isSource;
    this.box.classList.toggle("editor-as-source", isSource);
    this.surface.hidden = isSource;
    this.area.hidden = !isSource;
    this.area.spellcheck = false;
    this.changed(false);
  }

  toggleFullScreen() {
    this.isFull = !this.isFull;
    this.box.classList.toggle("editor-full", this.isFull);
    document.documentElement.classList.toggle("editor-covers", this.isFull);
    this.toolbar.update();
    this.focus();
  }

  tellShortcuts() {
    tell(this.words, this.words.say("shortcuts"), SHORTCUTS.map(([name, keys]) => [spell(keys), this.words.say(name)]));
  }

  focus() {
    if (this.isSource) {
      this.area.focus();
    } else {
      this.editor.view.focus();
    }
  }
}
