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
import { ask, OK } from "../frame/request.js";
import { complete } from "./complete.js";
import { HIGHLIGHT, markTags, THEME } from "./look.js";
import { Problems } from "./problems.js";

const WRITE_AFTER = 300; // milliseconds without typing

let isAnswered = false;

/** What the frame shows stays until the service answers. */
async function showInFrame(event, frame) {
  const { target: form, submitter } = event;
  if (!submitter?.hasAttribute("data-preview")) {
    return;
  }
  if (isAnswered) {
    frame.hidden = false;
    return;
  }
  event.preventDefault();
  event.stopImmediatePropagation();
  const { outcome } = await ask(submitter.formAction, () => form.requestSubmit(submitter));
  if (outcome === OK) {
    isAnswered = true;
    form.requestSubmit(submitter);
    isAnswered = false;
  }
}

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
  let written = textarea.value;
  let timer = null;
  // The field gets the text after a short delay, or at once when it is read. Until the first edit it keeps the sent text.
  const write = () => {
    window.clearTimeout(timer);
    const text = view.state.doc.toString();
    if (text !== written) {
      written = textarea.value = text;
      textarea.dispatchEvent(new Event("input", { bubbles: true }));
    }
  };
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: textarea.value,
      extensions: [
        EditorState.phrases.of(words.spoken),
        EditorView.contentAttributes.of({ "aria-label": label?.textContent.trim() ?? "", lang: "", tabindex: "0" }),
        [lineNumbers(), foldGutter(), lintGutter(), highlightActiveLineGutter(), highlightActiveLine()],
        [highlightSpecialChars(), history(), drawSelection(), dropCursor(), indentOnInput(), bracketMatching()],
        [closeBrackets(), search({ top: true }), highlightSelectionMatches()],
        [html({ matchClosingTags: false }), complete(frame.dataset.vocabulary), autocompletion()],
        [syntaxHighlighting(HIGHLIGHT), markTags, THEME, problems.extension],
        EditorView.updateListener.of(({ docChanged }) => {
          if (docChanged) {
            window.clearTimeout(timer);
            timer = window.setTimeout(write, WRITE_AFTER);
          }
        }),
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
  const preview = form.querySelector("iframe[name=template-preview]");
  preview.hidden = true;
  form.addEventListener("submit", write, true);
  form.addEventListener("submit", (event) => showInFrame(event, preview), true);
  form.addEventListener("collect", write);
  form.addEventListener("restored", () => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: textarea.value } }));
}
