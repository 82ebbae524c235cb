// Colours of both schemes, and of elements and entities.

import { HighlightStyle } from "@codemirror/language";
import { Decoration, EditorView, MatchDecorator, ViewPlugin } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const INK = {
  tag: "light-dark(#0b5394, #8ab8f0)",
  attribute: "light-dark(#7a3e00, #e5b567)",
  text: "light-dark(#216321, #9ccc8f)",
  comment: "light-dark(#5c6770, #9aa7b1)",
  keyword: "light-dark(#7b2d8b, #d9a0e6)",
  number: "light-dark(#8a3324, #f0a58f)",
};

export const HIGHLIGHT = HighlightStyle.define([
  { tag: [tags.tagName, tags.angleBracket], color: INK.tag },
  { tag: [tags.attributeName, tags.propertyName], color: INK.attribute },
  { tag: [tags.attributeValue, tags.string, tags.regexp], color: INK.text },
  { tag: [tags.comment, tags.processingInstruction, tags.documentMeta], color: INK.comment },
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: INK.keyword },
  { tag: [tags.number, tags.bool, tags.null, tags.character, tags.unit, tags.color], color: INK.number },
]);

const TAG = /<\/?stl:\w+|\{stl:\w+[^{}\n]{0,500}\}|\{\w+\.[\w.+-]+\}/gi;
const matcher = new MatchDecorator({
  regexp: TAG,
  decoration: (match) => Decoration.mark({ class: match[0].startsWith("{") ? "cm-entity" : "cm-element" }),
});

export const markTags = ViewPlugin.fromClass(
  class {
    constructor(view) {
      this.decorations = matcher.createDeco(view);
    }

    update(update) {
      this.decorations = matcher.updateDeco(update, this.decorations);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

const BOX = { backgroundColor: "var(--surface)", color: "var(--body-fg)", border: "1px solid var(--border-color)" };

export const THEME = EditorView.theme({
  "&": { backgroundColor: "var(--page)", color: "var(--body-fg)", fontSize: "0.875rem", minHeight: "16rem", maxHeight: "70vh" },
  "&.cm-focused": { outline: "2px solid var(--focus)", outlineOffset: "-2px" },
  ".cm-scroller": {
    fontFamily: 'ui-monospace, Menlo, Consolas, "Noto Sans Mono CJK SC", monospace',
    lineHeight: "1.55",
    minHeight: "16rem",
  },
  ".cm-content": { caretColor: "var(--body-fg)" },
  ".cm-cursor, .cm-dropCursor": { borderLeftColor: "var(--body-fg)" },
  ".cm-gutters": { backgroundColor: "var(--darkened-bg)", color: "var(--body-quiet-color)", borderRight: "1px solid var(--hairline-color)" },
  ".cm-activeLine": { backgroundColor: "light-dark(rgb(23 105 106 / 6%), rgb(127 211 204 / 7%))" },
  ".cm-activeLineGutter": { backgroundColor: "var(--selected-bg)", color: "var(--body-fg)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "light-dark(#bcd9f2, #29486a)",
  },
  ".cm-selectionMatch": { backgroundColor: "light-dark(#e3eddc, #33422b)" },
  ".cm-searchMatch": { backgroundColor: "light-dark(#fbe7a5, #584a14)" },
  ".cm-searchMatch-selected": { backgroundColor: "light-dark(#f7c97a, #7a5b12)" },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "light-dark(#cfe8df, #2c4d44)" },
  "&.cm-focused .cm-nonmatchingBracket": { backgroundColor: "var(--message-error-bg)" },
  ".cm-foldPlaceholder": { ...BOX, padding: "0 0.4em" },
  ".cm-panels": { backgroundColor: "var(--darkened-bg)", color: "var(--body-fg)", borderColor: "var(--hairline-color)" },
  ".cm-panel.cm-search": { padding: "0.5rem" },
  ".cm-panel.cm-search label": { fontSize: "0.8125rem" },
  ".cm-textfield": { ...BOX, padding: "0.2em 0.4em", fontSize: "0.875rem" },
  ".cm-button": { ...BOX, backgroundImage: "none", borderRadius: "4px", padding: "0.2em 0.7em", fontSize: "0.8125rem" },
  ".cm-panel.cm-search [name=close], .cm-panel-lint [name=close]": { color: "var(--body-fg)", fontSize: "1.25rem" },
  ".cm-tooltip": { ...BOX, borderRadius: "4px", boxShadow: "var(--shadow)" },
  ".cm-tooltip-autocomplete > ul": { maxHeight: "16em" },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": { backgroundColor: "var(--primary)", color: "var(--button-fg)" },
  ".cm-completionMatchedText": { fontWeight: "700", textDecoration: "none" },
  ".cm-completionInfo": { maxWidth: "26rem", padding: "0.4rem 0.6rem", fontFamily: "var(--font-family-primary)" },
  ".cm-diagnostic": { color: "var(--body-fg)" },
  ".cm-element": { fontWeight: "700" },
  ".cm-element, .cm-element *": { color: "var(--accent-ink)" },
  ".cm-entity, .cm-entity *": { color: INK.keyword },
});
