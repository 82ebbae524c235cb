import assert from "node:assert/strict";
import { test } from "node:test";
import { countText } from "../../core/admin/editor/src/counting.js";
import { holdBack, release, releasedName } from "../../core/admin/editor/src/markup/inert.js";
import { declarations, keep, readStyle, shown, withAttribute, withStyle } from "../../core/admin/editor/src/markup/kept.js";
import { labelOf } from "../../core/admin/editor/src/schema/pieces.js";

test("each Chinese, Japanese and Korean character and its punctuation is a word", () => {
  const cases = [
    ["", 0, 0],
    ["The tide turns at nine.", 5, 19],
    ["潮水九点退。", 6, 6],
    ["潮水 turns，九点", 6, 10],
    ["state-of-the-art isn’t 3.5", 3, 24],
    ["かな 한글", 4, 4],
    ["𠮷", 1, 1],
  ];
  for (const [text, words, characters] of cases) {
    assert.deepEqual(countText(text), { words, characters }, text);
  }
});

test("styles and handlers are held back, whatever stands around them, and come back as they were", () => {
  const cases = [
    ['<p style="color: red">a</p>', '<p x-held-style="color: red">a</p>'],
    ['<img src="a.png" onerror = "go()">', '<img src="a.png" x-held-onerror = "go()">'],
    ["<p\nSTYLE='a'>", "<p\nx-held-STYLE='a'>"],
    ['<svg/onload="go()">', '<svg/x-held-onload="go()">'],
    ['<p title="a style=b > onclick=c">', '<p title="a style=b > onclick=c">'],
    ["text style=a", "text style=a"],
    ["<!-- <p style=a> -->", "<!-- <p style=a> -->"],
  ];
  for (const [html, held] of cases) {
    assert.equal(holdBack(html), held);
  }
  assert.equal(release('<p x-held-style="a" x-held-onclick="b">'), '<p style="a" onclick="b">');
  assert.deepEqual(["x-held-style", "style"].map(releasedName), ["style", "style"]);
});

test("a style sheet in the text becomes one piece that holds it", () => {
  assert.equal(
    holdBack('<style>p::after { content: "<&" }</style>'),
    '<x-kept data-html="&lt;style>p::after { content: &quot;&lt;&amp;&quot; }&lt;/style>"></x-kept>',
  );
});

test("semicolons in brackets and quotes part no declarations", () => {
  assert.deepEqual(declarations("Color: red; background: url(data:image/png;base64,AA==) ; content: ';' ;width:;"), [
    ["color", "red"],
    ["background", "url(data:image/png;base64,AA==)"],
    ["content", "';'"],
  ]);
  assert.deepEqual(declarations(null), []);
});

test("of a property that is set twice the last one counts, and both are replaced", () => {
  const kept = { style: "color: red; width: 1px; color: blue" };
  assert.equal(readStyle(kept, "color"), "blue");
  assert.equal(readStyle(kept, "height"), "");
  assert.deepEqual(withStyle(kept, "color", "green"), { style: "width: 1px; color: green" });
  assert.deepEqual(withStyle(kept, "color", ""), { style: "width: 1px" });
});

test("an attribute is set and taken away without touching the others, and nothing is left as null", () => {
  const kept = { align: "left" };
  assert.deepEqual(withAttribute(kept, "width", 3), { align: "left", width: "3" });
  assert.deepEqual(kept, { align: "left" });
  assert.equal(withAttribute(kept, "align", ""), null);
  assert.equal(withStyle({ style: "color: red" }, "color", ""), null);
});

test("an element keeps its attributes by their own names, but not the editor's and broken ones", () => {
  const attributes = Object.entries({ class: "a", "x-held-onclick": "b", "x-cms-bare": "", "9": "c", "data-id": "7" });
  const element = { attributes: attributes.map(([name, value]) => ({ name, value })) };
  assert.deepEqual(keep(element, "class"), { onclick: "b", "data-id": "7" });
  assert.equal(keep({ attributes: [] }), null);
});

test("the editor shows no attribute that runs, loads, covers the page or takes a name", () => {
  const kept = { id: "a", onclick: "b", class: "c", src: "d", width: "40" };
  const style = "position: fixed; color: red; background: url(/a); margin-left: -9px; text-align: center; font-size: 2em";
  assert.deepEqual(shown({ ...kept, style }), { width: "40", style: "color: red; text-align: center; font-size: 2em" });
  assert.deepEqual(shown(null), {});
});

test("a piece is called by its kind and address", () => {
  const words = { say: (name) => `(${name})` };
  const cases = [
    ['<video controls src="/tide.mp4"></video>', "(kind_video) /tide.mp4"],
    ["<SCRIPT>go()</SCRIPT>", "<script>"],
    ["<!--more-->", "<!--more…-->"],
    ["text", "<?>"],
  ];
  for (const [html, label] of cases) {
    assert.equal(labelOf(html, words), label);
  }
});
