import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { DraftStore } from "../../core/admin/editor/src/frame/draft_store.js";

const DAY = 24 * 3600 * 1000;

/** What a browser keeps: the values are own properties, and a full store throws. */
class Store {
  #room;
  constructor(room = Infinity) {
    this.#room = room;
  }
  getItem(name) {
    return Object.hasOwn(this, name) ? this[name] : null;
  }
  setItem(name, text) {
    const others = Object.entries(this).filter(([other]) => other !== name);
    if (others.reduce((size, [, each]) => size + each.length, text.length) > this.#room) {
      throw new Error("QuotaExceededError");
    }
    this[name] = text;
  }
  removeItem(name) {
    delete this[name];
  }
}

const useStore = (store) => Object.defineProperty(globalThis, "localStorage", { value: store, configurable: true });
const draft = (at, text = "") => ({ at, fields: { title: [text] } });
const keysLeft = () => Object.keys(localStorage).map((name) => name.replace(/^draft:|#.*$/g, ""));

beforeEach(() => useStore(new Store()));

test("a page is offered the drafts that others left of the same record, the newest first", () => {
  const now = Date.now();
  const own = new DraftStore("7");
  own.keep(draft(now));
  for (const [key, at] of [["7", now - 2], ["7", now - 1], ["8", now]]) {
    new DraftStore(key).keep(draft(at));
  }
  assert.deepEqual(own.others().map((each) => each.draft.at), [now - 1, now - 2]);
});

test("what is no draft or older than thirty days is taken away, and nothing that belongs to others", () => {
  localStorage.setItem("menu", "{}");
  localStorage.setItem("draft:1#a", "{");
  localStorage.setItem("draft:2#a", '{"fields": {}}');
  new DraftStore("3").keep(draft(Date.now() - 31 * DAY));
  new DraftStore("4").keep(draft(Date.now() - 29 * DAY));
  new DraftStore("5").others();
  assert.deepEqual(keysLeft(), ["menu", "4"]);
});

test("the oldest of more than twenty drafts goes", () => {
  for (let at = 0; at < 21; at += 1) {
    new DraftStore(String(at)).keep(draft(Date.now() + at));
  }
  assert.equal(keysLeft().length, 20);
  assert.ok(!keysLeft().includes("0"));
});

test("a page that writes its draft again takes no room from the others", () => {
  for (let at = 0; at < 20; at += 1) {
    new DraftStore(String(at)).keep(draft(Date.now() + at));
  }
  const store = new DraftStore("own");
  store.keep(draft(Date.now() + 50));
  store.keep(draft(Date.now() + 60));
  assert.equal(keysLeft().length, 20);
});

test("a draft that is too large is not kept, and leaves the others", () => {
  new DraftStore("1").keep(draft(Date.now()));
  assert.equal(new DraftStore("2").keep(draft(Date.now(), "a".repeat(2_000_000))), false);
  assert.deepEqual(keysLeft(), ["1"]);
});

test("drafts have four million characters together", () => {
  const kept = ["1", "2", "3"].map((key, index) => new DraftStore(key).keep(draft(Date.now() + index, "a".repeat(1_500_000))));
  assert.deepEqual(kept, [true, true, true]);
  assert.deepEqual(keysLeft(), ["2", "3"]);
});

test("in a browser that is full the oldest drafts make room, until none is left", () => {
  useStore(new Store(400));
  for (const key of ["1", "2", "3"]) {
    assert.equal(new DraftStore(key).keep(draft(Date.now() + Number(key), "a".repeat(80))), true);
  }
  assert.deepEqual(keysLeft().sort(), ["2", "3"]);
  assert.equal(new DraftStore("4").keep(draft(Date.now() + 4, "a".repeat(500))), false);
});
