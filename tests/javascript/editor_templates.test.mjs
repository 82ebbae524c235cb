import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import { Vocabulary } from "../../core/admin/editor/src/template/complete.js";
import { range } from "../../core/admin/editor/src/template/problems.js";

const { EditorState, Text } = createRequire(new URL("../../core/admin/editor/package.json", import.meta.url))("@codemirror/state");

const vocabulary = new Vocabulary({
  elements: {
    contents: { summary: "a list", attributes: { totalNum: { summary: "how many" }, isTop: { summary: "pinned", values: ["true", "false"] } } },
    pageItem: { summary: "a link", attributes: {} },
  },
  entities: { content: { summary: "of the content", names: { title: "its title" } }, channel: { summary: "of the channel", names: {} } },
});

/** The completions at the end of a text, and where they begin. */
function offered(text) {
  const found = vocabulary.complete({ state: EditorState.create({ doc: text }), pos: text.length });
  return found && [found.from, found.options.map(({ label }) => label)];
}

test("completions fit what is before the cursor", () => {
  const cases = [
    ["a <", [2, ["<stl:contents", "<stl:pageItem"]]],
    ["<stl:con", [0, ["<stl:contents", "<stl:pageItem"]]],
    ["</stl:", [0, ["</stl:contents", "</stl:pageItem"]]],
    ["<stl:contents ", [14, ["totalNum", "isTop"]]],
    ['<STL:Contents TOTALNUM="3" is', [27, ["isTop"]]],
    ['<stl:contents isTop="', [21, ["true", "false"]]],
    ["<stl:contents istop='t", [21, ["true", "false"]]],
    ['<stl:contents isTop="{', [21, ["{content.", "{channel.", "{stl:"]]],
    ["{co", [0, ["{content."]]],
    ["{Content.ti", [0, ["{Content.title"]]],
    ["{stl:", [0, ["{stl:contents", "{stl:pageItem"]]],
    ["<p class=", null],
    ["<stl:unknown ", null],
    ["plain text", null],
  ];
  for (const [text, expected] of cases) {
    assert.deepEqual(offered(text), expected, text);
  }
});

test("only what is near the cursor is looked at, so that a long text costs nothing", () => {
  assert.equal(offered(`<stl:contents ${"x".repeat(1_000_000)} `), null);
});

test("a problem marks its tag or entity, also behind characters of two halves", () => {
  const doc = Text.of(["𠮷 <stl:contents totalNum='x'>", "", "{content.titel} after"]);
  const marked = (line, column) => {
    const { from, to } = range(doc, { line, column });
    return doc.sliceString(from, to);
  };
  assert.equal(marked(1, 3), "<stl:contents");
  assert.equal(marked(3, 1), "{content.titel}");
  assert.equal(marked(2, 1), "");
  assert.equal(marked(99, 1), "{content.titel}"); // the text has become shorter
});
