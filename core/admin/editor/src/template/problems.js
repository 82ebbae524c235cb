// Errors of the text, as the service finds them: marks in the editor, and a list below it.

import { forceLinting, linter } from "@codemirror/lint";
import { StateEffect } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { make } from "../dom.js";
import { signIn } from "../frame/failure.js";
import { OK, request, SIGNED_OUT } from "../frame/request.js";

const DELAY = 600; // milliseconds after the last key
const recheck = StateEffect.define();
const MARKED = /^(?:<\/?stl:\w+|\{[^{}\s]{1,100}\}?|\S+)/i;

export class Problems {
  constructor(address, form, words) {
    this.address = address;
    this.form = form;
    this.words = words;
    this.isOnPage = false; // the next check also makes the page of the preview
    this.state = make("p", { role: "status" }, words.say("checking"));
    this.rows = make("ol");
    this.list = make("div", { class: "template-problems" }, this.state, this.rows);
    this.extension = linter((view) => this.check(view), {
      delay: DELAY,
      needsRefresh: (update) => update.transactions.some((each) => each.effects.some((effect) => effect.is(recheck))),
    });
  }

  /** Checks the text at once, and with every preview. */
  watch(view) {
    this.form.addEventListener("submit", (event) => {
      if (event.submitter?.hasAttribute("data-preview")) {
        this.isOnPage = true;
        view.dispatch({ effects: recheck.of(null) });
        forceLinting(view);
      }
    });
    forceLinting(view);
  }

  async check(view) {
    const { doc } = view.state;
    const { outcome, message, data } = await this.ask(doc.toString());
    if (outcome !== OK) {
      this.state.replaceChildren(this.words.say("unchecked", { why: message }), " ", outcome === SIGNED_OUT ? signIn() : "");
      this.rows.replaceChildren();
      return [];
    }
    const marks = data.problems.map((problem) => ({ ...problem, severity: "error", ...range(doc, problem) }));
    this.show(marks, view);
    return marks.filter((mark) => mark.line > 0);
  }

  async ask(text) {
    const body = new FormData(this.form);
    body.set("text", text);
    if (this.isOnPage) {
      body.set("on_page", "1");
      this.isOnPage = false;
    }
    return request(this.address, { post: body, isQuiet: true });
  }

  show(marks, view) {
    const say = this.words.say.bind(this.words);
    const told = marks.length ? say("count", { count: marks.length }) : say("none");
    if (this.state.textContent !== told) {
      this.state.textContent = told;
    }
    this.rows.replaceChildren(...marks.map((mark) => make("li", {}, mark.line ? this.way(mark, view) : say("elsewhere", { message: mark.file ? `${mark.file}: ${mark.message}` : mark.message }))));
  }

  way(mark, view) {
    const click = () => {
      const anchor = Math.min(mark.from, view.state.doc.length);
      view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: "center" }) });
      view.focus();
    };
    return make("button", { type: "button", click }, this.words.say("line", mark));
  }
}

/** The characters of a problem. The service counts characters, and JavaScript halves of some. */
export function range(doc, { line, column }) {
  const { from, text } = doc.line(Math.min(Math.max(line, 1), doc.lines));
  const start = [...text].slice(0, Math.max(column - 1, 0)).join("").length;
  const length = MARKED.exec(text.slice(start))?.[0].length ?? 0;
  return { from: from + start, to: from + start + length };
}
