// The view of CodeMirror, and how it and the form keep the same text.

import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { html } from "@codemirror/lang-html";
import { bracketMatching, foldGutter, foldKeymap, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState } from "@codemirror/state";
import {
  drawSelection,
  dropCursor,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { make } from "../dom.js";
import { complete } from "./complete.js";
import { HIGHLIGHT, markTags, THEME } from "./look.js";
import { Problems } from "./problems.js";

export function edit(frame, textarea, words) {
  const form = textarea.form;
  const label = form.querySelector(`label[for="${textarea.id}"]`);
  const host = make("div", { class: "template-code" });
  const problems = new Problems(frame.dataset.check, form, words);
  // In a shadow tree, CodeMirror adopts its styles; the policy of our pages forbids style elements.
  const root = host.attachShadow({ mode: "open" });
  textarea.before(host);
  textarea.after(problems.list, make("p", { class: "template-keys quiet" }, words.say("keys")));
  textarea.hidden = true;
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: textarea.value,
      extensions: [
        EditorState.phrases.of(words.spoken),
        EditorView.contentAttributes.of({ "aria-label": label?.textContent.trim() ?? "", lang: "" }),
        [lineNumbers(), foldGutter(), lintGutter(), highlightActiveLineGutter(), highlightActiveLine()],
        [highlightSpecialChars(), history(), drawSelection(), dropCursor(), indentOnInput(), bracketMatching()],
        [closeBrackets(), search({ top: true }), highlightSelectionMatches()],
        [html({ matchClosingTags: false }), complete(frame.dataset.vocabulary), autocompletion()],
        [syntaxHighlighting(HIGHLIGHT), markTags, THEME, problems.extension],
        keymap.of([
          ...closeBracketsKeymap,
          ...completionKeymap,
          ...searchKeymap,
          ...historyKeymap,
          ...foldKeymap,
          ...lintKeymap,
          ...defaultKeymap,
          indentWithTab,
        ]),
      ],
    }),
  });
  problems.watch(view);
  label?.addEventListener("click", () => view.focus());
  keep(form, textarea, view, words);
}

/** Fills in the text when the form is sent, and warns before it is lost. */
function keep(form, textarea, view, words) {
  const first = view.state.doc;
  const preview = form.querySelector("iframe[name=template-preview]");
  let isSent = false;
  preview.hidden = true;
  form.addEventListener("submit", ({ submitter }) => {
    textarea.value = view.state.doc.toString();
    isSent = !submitter?.hasAttribute("data-preview");
    preview.hidden = isSent && preview.hidden;
  });
  window.addEventListener("beforeunload", (event) => {
    if (!isSent && !view.state.doc.eq(first)) {
      event.preventDefault();
      event.returnValue = words.say("leave");
    }
  });
}
