import assert from "node:assert/strict";
import { test } from "node:test";
import { getSchema } from "../../core/admin/editor/node_modules/@tiptap/core/dist/index.js";
import { write } from "../../core/admin/editor/src/markup/reading.js";
import { extensions } from "../../core/admin/editor/src/schema/index.js";

const schema = getSchema(extensions({ words: { say: String }, sources: null, open() {} }));
const html = (...content) => write(schema.nodeFromJSON({ type: "doc", content }));

const node = (type, attrs, ...content) => ({ type, attrs, content });
const text = (words, ...marks) => ({ type: "text", text: words, marks });
const p = (attrs, ...content) => node("paragraph", attrs, ...content);
const bold = { type: "bold" };
const italic = { type: "italic" };

test("an empty document is no text, and blocks stand in lines", () => {
  assert.equal(html(p({})), "");
  assert.equal(html(p({ wrap: "tag" }, text("a")), p({}, text("b"))), "<p>a</p>\n<p>b</p>");
  assert.equal(html(node("heading", { level: 3 }), p({ blank: "none" })), "<h3><br></h3>\n<p></p>");
});

test("characters that mean something in HTML are written as text, and in values", () => {
  assert.equal(html(p({}, text('a < b & "c"\u00a0>'))), '<p>a &lt; b &amp; "c"&nbsp;&gt;</p>');
  assert.equal(html(node("horizontalRule", { kept: { title: '"<&' } })), '<hr title="&quot;&lt;&amp;">');
});

test("bare text stays bare, unless another paragraph stands beside it", () => {
  const bare = p({ wrap: "bare" }, text("a"));
  assert.equal(html(bare), "a");
  assert.equal(html(bare, p({ wrap: "bare" }, text("b"))), "<p>a</p>\n<p>b</p>");
  assert.equal(html(p({ wrap: "bare", kept: { class: "b" } }, text("a"))), '<p class="b">a</p>');
});

test("an item of one new paragraph has no paragraph in HTML, and a list right in a list no item", () => {
  const item = (...content) => node("listItem", {}, ...content);
  assert.equal(html(node("bulletList", {}, item(p({}, text("a"))))), "<ul><li>a</li></ul>");
  const inner = node("orderedList", {}, item(p({}, text("b"))));
  const outer = node("bulletList", {}, item(p({}, text("a"))), node("listItem", { bare: true }, inner));
  assert.equal(html(outer), "<ul><li>a</li><ol><li>b</li></ol></ul>");
});

test("of two marks the one that spans more stands outside, among equals the one that did so", () => {
  assert.equal(html(p({}, text("a", bold), text("b", bold, italic), text("c", italic))), "<p><strong>a<em>b</em></strong><em>c</em></p>");
  assert.equal(html(p({}, text("a", italic, bold), text("b", bold))), "<p><strong><em>a</em>b</strong></p>");
  const at = (mark, depth) => ({ ...mark, attrs: { depth } });
  assert.equal(html(p({}, text("a", at(bold, 1), at(italic, 0)))), "<p><em><strong>a</strong></em></p>");
});

test("rows of a table stand in the sections that they were read from", () => {
  const row = (section, type, words, attrs = {}) => node("tableRow", { section }, node(type, attrs, p({}, text(words))));
  const rows = [row("thead", "tableHeader", "a", { colspan: 2 }), row("tbody", "tableCell", "b"), row("tbody", "tableCell", "c")];
  const body = "<tbody><tr><td>b</td></tr><tr><td>c</td></tr></tbody>";
  assert.equal(html(node("table", { caption: "<b>d</b>" }, ...rows)),
    `<table><caption><b>d</b></caption><thead><tr><th colspan="2">a</th></tr></thead>${body}</table>`);
});

test("a piece is written as it was read, and the first line break of preformatted text is kept", () => {
  assert.equal(html(p({}, node("piece", { html: "<!--a-->" }), text("b"))), "<p><!--a-->b</p>");
  assert.equal(html(node("preformatted", {}, text("\na"))), "<pre>\n\na</pre>");
});
