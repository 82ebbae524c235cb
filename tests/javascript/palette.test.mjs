import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { Clock, Fake, settle } from "./page.mjs";

globalThis.document = new Fake({ documentElement: new Fake() });
globalThis.localStorage = { kept: {}, setItem: (key, value) => { localStorage.kept[key] = value; }, getItem: (key) => localStorage.kept[key] ?? null, removeItem: (key) => delete localStorage.kept[key] };
globalThis.DOMParser = class {
  parseFromString = (data) => data;
};
globalThis.window = {};
document.getElementById = () => new Fake({ dataset: { user: "7" } });
const { Palette } = await import("../../core/admin/editor/src/palette/palette.js");
const { forget, opened, remember } = await import("../../core/admin/editor/src/frame/opened.js");

let clock, requests, elsewhere, clicks;

beforeEach(() => {
  clock = new Clock();
  [requests, elsewhere, clicks] = [[], [], []];
  Object.assign(globalThis.window, { setTimeout: clock.setTimeout, clearTimeout: clock.clearTimeout, open: (...given) => elsewhere.push(given) });
});

const link = (href) => {
  const made = new Fake({ href, getAttribute: (name) => (name === "href" ? href : null), closest: () => made });
  made.click = () => clicks.push(href);
  return made;
};

const group = (...options) => new Fake({ options }, { h2: new Fake(), "h2, ul, li": [new Fake(), new Fake()] });

const found = (told, ...groups) => new Fake({}, { ".found": new Fake({ children: groups, dataset: { told } }) });

function make(recent = () => []) {
  const input = new Fake({ value: "" });
  const list = new Fake({ scrollTop: 9 });
  list.querySelectorAll = () => list.children.flatMap((each) => each.options);
  const status = new Fake();
  const dialog = new Fake({ dataset: { address: "/search/" }, close: () => { dialog.isClosed = true; } }, { input, button: new Fake(), "[role=listbox]": list, "[role=status]": status });
  const request = (address) => new Promise((resolve) => requests.push({ address, answer: (data, outcome = "ok") => resolve({ outcome, data, message: "Lost." }) }));
  const palette = new Palette(dialog, { request, recent });
  const type = (words, event = {}) => {
    input.value = words;
    return input.hear("input", event);
  };
  return { dialog, input, list, palette, status, type, press: (key, more = {}) => input.hear("keydown", { key, ...more }), active: () => input.attributes["aria-activedescendant"] };
}

async function search(page, words, data) {
  page.type(words);
  await Promise.race([clock.next(), settle()]);
  requests.at(-1).answer(data);
  await settle();
}

test("words are asked for after a pause, once", async () => {
  const page = make();
  page.type("a");
  page.type("ab");
  page.type("ab ");
  assert.equal(clock.waiting.length, 1);
  await Promise.race([clock.next(), settle()]);
  assert.deepEqual(requests.map(({ address }) => address), ["/search/?part&q=ab"]);
  page.type("ab  ");
  assert.equal(clock.waiting.length, 0);
});

test("results have the roles of a list in groups, the first is chosen, and their number is told", async () => {
  const page = make();
  const options = [link("/a/"), link("/b/")];
  const groups = [group(options[0]), group(options[1])];
  await search(page, "ab", found("2 results", ...groups));
  assert.deepEqual(groups.map(({ attributes }) => [attributes.role, attributes["aria-labelledby"]]), [["group", "palette-group-0"], ["group", "palette-group-1"]]);
  assert.deepEqual(options.map(({ attributes }) => [attributes.role, attributes["aria-selected"]]), [["option", "true"], ["option", "false"]]);
  assert.deepEqual([page.list.hidden, page.list.scrollTop, page.input.attributes["aria-expanded"], page.status.textContent, page.active()], [false, 0, "true", "2 results", options[0].id]);
});

test("arrow keys go round, and leave the text to other keys", async () => {
  const page = make();
  const options = ["/a/", "/b/", "/c/"].map(link);
  await search(page, "ab", found("3", group(...options)));
  const chosen = [];
  for (const key of ["ArrowDown", "ArrowDown", "ArrowDown", "ArrowUp"]) {
    assert.ok(page.press(key).defaultPrevented);
    chosen.push(page.active());
  }
  assert.deepEqual(chosen, [1, 2, 0, 2].map((number) => options[number].id));
  for (const key of ["Home", "End", "ArrowLeft", "Escape", "a"]) {
    assert.ok(!page.press(key).defaultPrevented, key);
  }
});

test("Enter opens, with Ctrl or Command in a new tab", async () => {
  const page = make();
  await search(page, "ab", found("1", group(link("/a/"))));
  page.press("Enter");
  assert.deepEqual(clicks, ["/a/"]);
  page.press("Enter", { ctrlKey: true });
  page.press("Enter", { metaKey: true });
  assert.deepEqual([clicks, elsewhere], [["/a/"], Array(2).fill(["/a/", "_blank", "noopener"])]);
});

test("Enter before the answer opens its first result", async () => {
  const page = make();
  page.type("ab");
  page.press("Enter");
  assert.deepEqual(clicks, []);
  await Promise.race([clock.next(), settle()]);
  requests[0].answer(found("1", group(link("/a/"))));
  await settle();
  assert.deepEqual(clicks, ["/a/"]);
});

test("a late answer to other words is ignored", async () => {
  const page = make();
  page.type("a");
  await Promise.race([clock.next(), settle()]);
  await search(page, "ab", found("new", group(link("/new/"))));
  requests[0].answer(found("old", group(link("/old/"))));
  await settle();
  page.press("Enter");
  assert.deepEqual([page.status.textContent, clicks], ["new", ["/new/"]]);
});

test("an input method composes without requests, and keeps its keys", async () => {
  const page = make();
  page.type("xin", { isComposing: true });
  assert.equal(clock.waiting.length, 0);
  assert.ok(!page.press("Enter", { isComposing: true }).defaultPrevented);
  assert.ok(!page.press("Enter", { keyCode: 229 }).defaultPrevented);
  page.input.value = "新";
  page.input.hear("compositionend");
  await Promise.race([clock.next(), settle()]);
  assert.deepEqual(requests.map(({ address }) => address), [`/search/?part&q=${encodeURIComponent("新")}`]);
});

test("a failure is told, and the same words are asked again", async () => {
  const page = make();
  page.type("ab");
  await Promise.race([clock.next(), settle()]);
  requests[0].answer(null, "lost");
  await settle();
  assert.deepEqual([page.status.textContent, page.list.hidden], ["Lost.", true]);
  page.type("ab");
  assert.equal(clock.waiting.length, 1);
});

test("without words, it shows what was opened last", async () => {
  const page = make(() => [group(link("/last/"))]);
  page.palette.show();
  assert.deepEqual([page.list.hidden, requests.length], [false, 0]);
  page.press("Enter");
  assert.deepEqual(clicks, ["/last/"]);
});

test("a scheme of colours is chosen at once", async () => {
  const page = make();
  const dark = link("#theme-dark");
  await search(page, "dark", found("1", group(dark)));
  const event = page.list.hear("click", { target: dark });
  assert.ok(event.defaultPrevented && page.dialog.isClosed);
  assert.deepEqual([document.documentElement.dataset.theme, localStorage.kept.theme], ["dark", "dark"]);
});

test("what a person opened is remembered, the last first, until they sign out", () => {
  for (let number = 0; number < 12; number += 1) {
    remember({ url: `/${number}/`, title: `${number}`, kind: "content" });
  }
  remember({ url: "/5/", title: "five", kind: "content" });
  assert.deepEqual(opened().map(({ title }) => title), ["five", "11", "10", "9", "8", "7", "6", "4", "3"]);
  assert.deepEqual(Object.keys(localStorage.kept).filter((key) => key !== "theme"), ["cms-opened:7"]);
  forget();
  assert.deepEqual(opened(), []);
  localStorage.setItem("cms-opened:7", "{");
  assert.deepEqual(opened(), []);
});
