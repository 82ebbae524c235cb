import assert from "node:assert/strict";
import { test } from "node:test";
import { answer, Fake, run, settle } from "./page.mjs";

// Home (1) > News (2) > Archive (3); Home > About (4); Home > Contact (5)
const CHANNELS = [["1", "0", 0, "1"], ["2", "1", 1, "1"], ["3", "2", 2, ""], ["4", "1", 1, "0"], ["5", "1", 1, ""]];

/** The page of the tree, with what was posted to move channels. */
function openTree({ answers = [], chosen = [] } = {}) {
  const rows = CHANNELS.map(([id, parent, level, open]) => makeRow({ id, parent, level: String(level), open, name: `Channel ${id}` }));
  rows.forEach((row, index) => {
    row.previousElementSibling = rows[index - 1];
    row.nextElementSibling = rows[index + 1];
  });
  const boxes = rows.filter((row) => chosen.includes(row.dataset.id)).map((row) => row.found["input[type=checkbox]"]);
  for (const box of boxes) {
    box.checked = true;
  }
  const body = new Fake({ rows }, { "tr[data-id]": rows, "input[type=checkbox]:checked": boxes });
  const head = new Fake({}, { "th:nth-child(2):last-child": new Fake() });
  const page = new Fake();
  const words = { moves: "", move: "/move", rows: "/rows", stays: "{name} stays.", actions: "", before: "before {name}",
    after: "after {name}", below: "in {name}", carried: "{count} channels" };
  const table = new Fake({ dataset: words, tBodies: [body], tHead: { rows: [head] }, within: { ".tree-page": page } });
  table.setPointerCapture = () => {};
  const news = new Fake();
  const posted = [];
  const fetch = async (address, options) => {
    if (address === words.move) {
      posted.push(Object.fromEntries(options.body));
      return answer({ done: true, undo: "2.1;3", open: [], message: "Moved.", ...answers.shift() });
    }
    return answer("");
  };
  run("channels_app/static/channels_app/tree.js", {
    ids: {
      tree: table,
      "tree-news": news,
      chosen: new Fake({ elements: { csrfmiddlewaretoken: { value: "t" } } }),
      turning: new Fake({ elements: { open: { value: "1,2.300" } } }),
      ...Object.fromEntries(rows.map((row) => [`c${row.dataset.id}`, row])),
    },
    create: (name) => new Fake({ name, children: name === "tbody" ? rows : [] }),
    fetch,
    history: { replaceState: () => {} },
    location: { hash: "" },
  });
  const row = (id) => rows.find((each) => each.dataset.id === id);
  const press = async (id, key, given = { altKey: true }) => {
    const event = body.hear("keydown", { key, ...given, target: row(id) });
    await settle();
    return event.defaultPrevented;
  };
  return { table, tree: table.tree, body, row, news, posted, press };
}

function makeRow(dataset) {
  const row = new Fake({ dataset, cells: [], isConnected: true });
  const box = new Fake({ checked: false, within: { tr: row } });
  row.found = { ".row-actions": new Fake(), "input[type=checkbox]": box };
  row.within = { tr: row, "tr[data-id]": row, "#tree tr[data-id]": row };
  row.getBoundingClientRect = () => ({ top: 0, height: 100 });
  return row;
}

test("a move names each channel with its parent, and the place with its channel", async () => {
  const { tree, row, posted, news } = openTree();
  await tree.move(() => tree.placed([row("3"), row("4")], "before", row("5")));
  assert.deepEqual(posted, [{ channels: "3.2,4.1", place: "before.5.1" }]);
  assert.equal(news.children[0].textContent, "Moved.");
});

test("moves follow one another, and each is reckoned once the one before is done", async () => {
  const { tree, row, posted } = openTree();
  const reckoned = [];
  const move = (id) => tree.move(() => {
    reckoned.push([id, posted.length]);
    return tree.placed([row(id)], "last", row("5"));
  });
  await Promise.all([move("2"), move("4")]);
  assert.deepEqual(reckoned, [["2", 0], ["4", 1]]);
});

test("arrows move a channel among its siblings, into the one before and out of its parent", async () => {
  const places = { ArrowUp: "before.2.1", ArrowDown: "after.5.1", ArrowRight: "last.2.1" };
  for (const [key, place] of Object.entries(places)) {
    const { posted, press } = openTree();
    assert.equal(await press("4", key), true);
    assert.deepEqual(posted, [{ channels: "4.1", place }], key);
  }
  const { posted, press } = openTree();
  await press("3", "ArrowLeft");
  assert.deepEqual(posted, [{ channels: "3.2", place: "after.2.1" }]);
});

test("a channel without a place that way stays, and the page says so", async () => {
  for (const [id, key] of [["2", "ArrowUp"], ["5", "ArrowDown"], ["3", "ArrowRight"], ["2", "ArrowLeft"], ["1", "ArrowDown"]]) {
    const { posted, press, news } = openTree();
    await press(id, key);
    assert.deepEqual(posted, []);
    assert.equal(news.children[0].textContent, `Channel ${id} stays.`);
  }
});

test("Ctrl+Z takes the last move back, and does nothing before there is one", async () => {
  const { posted, press, tree, row } = openTree({ answers: [{}, { done: false }] });
  assert.equal(await press("2", "z", { ctrlKey: true }), false);
  await tree.move(() => tree.placed([row("4")], "last", row("2")));
  assert.equal(await press("2", "z", { ctrlKey: true }), true);
  assert.deepEqual(posted.slice(1), [{ moves: "2.1;3" }]);
});

test("words without a value for a place keep it", () => {
  assert.equal(openTree().tree.fill("{count} of {all}", { count: 2 }), "2 of {all}");
});

/** Presses on a channel, moves by `by` pixels to the height `y` of another (each is 100 high), and lets go there. */
async function drag(page, id, over, y, by = 300) {
  const window = run("channels_app/static/channels_app/drag.js", {
    ids: { tree: page.table },
    getSelection: () => ({ removeAllRanges() {} }),
    requestAnimationFrame() {},
    innerHeight: 600,
    scrollBy() {},
  });
  window.document.elementFromPoint = () => page.row(over);
  const pointer = { pointerId: 1, pointerType: "mouse", button: 0, clientX: 0 };
  page.body.hear("pointerdown", { ...pointer, clientY: y - by, target: page.row(id) });
  window.hear("pointermove", { ...pointer, clientY: y });
  const note = window.document.body.children.at(-1)?.textContent;
  window.hear("pointerup", pointer);
  await settle();
  return note;
}

test("the height within a channel decides whether one is dropped before, after or in it", async () => {
  const cases = [
    ["4", "5", 29, "before.5.1", "Channel 4 → before Channel 5"],
    ["4", "5", 50, "last.5.1", "Channel 4 → in Channel 5"],
    ["4", "5", 71, "after.5.1", "Channel 4 → after Channel 5"],
    ["4", "2", 71, "first.2.1", "Channel 4 → in Channel 2"],
    ["4", "1", 10, "last.1.0", "Channel 4 → in Channel 1"],
    ["4", "1", 90, "first.1.0", "Channel 4 → in Channel 1"],
  ];
  for (const [id, over, y, place, told] of cases) {
    const page = openTree();
    assert.equal(await drag(page, id, over, y), told);
    assert.deepEqual(page.posted, [{ channels: `${id}.1`, place }]);
  }
});

test("nothing is dropped into itself or what is below it, Home stays, and a small move is a click", async () => {
  for (const [id, over, by] of [["2", "2", 300], ["2", "3", 300], ["1", "5", 300], ["4", "5", 6]]) {
    const page = openTree();
    await drag(page, id, over, 50, by);
    assert.deepEqual(page.posted, []);
  }
});

test("chosen channels are dragged together, those below others of them with these", async () => {
  const page = openTree({ chosen: ["2", "3", "4"] });
  assert.equal(await drag(page, "4", "5", 50), "2 channels → in Channel 5");
  assert.deepEqual(page.posted, [{ channels: "2.1,4.1", place: "last.5.1" }]);
});
