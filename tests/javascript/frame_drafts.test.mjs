import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { Fake } from "./page.mjs";

const opened = [];
globalThis.BroadcastChannel = class extends EventTarget {
  constructor() {
    super();
    opened.push(this);
  }
  postMessage(data) {
    this.sent = data;
  }
};
globalThis.window = new Fake({ location: { pathname: "/admin/auth/group/add/", search: "?_changelist_filters=x&b=2&a=1", href: "http://desk/" } });
Object.assign(window, { setTimeout: (act) => act(), clearTimeout() {} });
let navigation = "navigate";
globalThis.performance = { getEntriesByType: () => [{ type: navigation }] };
globalThis.document = new Fake({ cookie: "", getElementById: () => new Fake({ dataset: { user: "7", unsaved: "Not saved.", saving: "Saving" } }), documentElement: { lang: "en" } });
document.createElement = (name) => new Fake({ name, matches: () => false });
const { Draft, dropSaved, hasDraftOf, keyOf } = await import("../../core/admin/editor/src/frame/draft.js");
const { Unsaved } = await import("../../core/admin/editor/src/frame/unsaved.js");

class Store {
  getItem(name) {
    return Object.hasOwn(this, name) ? this[name] : null;
  }
  setItem(name, text) {
    this[name] = text;
  }
  removeItem(name) {
    delete this[name];
  }
}

beforeEach(() => {
  Object.defineProperty(globalThis, "localStorage", { value: new Store(), configurable: true });
  navigation = "navigate";
});

const input = (name, value, given = {}) => {
  const made = new Fake({ type: "text", name, value, defaultValue: value, autocomplete: "", matches: () => true, ...given });
  made.cloneNode = () => ({ value: made.defaultValue });
  return made;
};

function makeForm({ isRefused = false, version = "", id = "group_form" } = {}) {
  const fields = [input("name", "Editors"), input("about", "Old"), input("own_password", "")];
  const elements = Object.assign([...fields], { seen_version: { value: version } });
  const form = new Fake({ id, elements, previousElementSibling: null, dataset: {} });
  const state = new Fake({ after() {}, textContent: "" });
  form.querySelector = (selector) => (selector.startsWith(".errorlist") ? (isRefused ? {} : null) : selector.includes("unsaved") ? state : null);
  const type = (name, value) => {
    fields.find((field) => field.name === name).value = value;
    form.hear("input");
  };
  return { form, fields, type };
}

const drafts = () => Object.values(localStorage).map((text) => JSON.parse(text));
const submit = (form, given = {}) => {
  const event = Object.defineProperties(new Event("submit", { cancelable: true }), { target: { value: form }, submitter: { value: given } });
  window.dispatchEvent(event);
};

test("a form is known by its administrator, its address without the state of lists, and its name", () => {
  assert.equal(keyOf(makeForm().form), "7:/admin/auth/group/add/?a=1&b=2#group_form");
});

test("a draft has what was changed, no secret, and is gone when nothing is", () => {
  const { form, type } = makeForm({ version: "3" });
  const draft = new Draft(form);
  assert.deepEqual(drafts(), []);
  type("own_password", "harbour-21");
  assert.deepEqual(drafts(), []);
  type("name", "Writers");
  const [{ fields, key, page, version, isSent }] = drafts();
  assert.deepEqual([fields, key, page, version, isSent], [{ name: ["Writers"] }, draft.key, "/admin/auth/group/add/", "3", false]);
  assert.equal(hasDraftOf("/admin/auth/group/add/?x=1"), true);
  assert.equal(hasDraftOf("/admin/auth/group/1/change/"), false);
  type("name", "Editors");
  assert.deepEqual(drafts(), []);
});

test("a form that was sent keeps its draft until the server says that it is stored", () => {
  const { form, type } = makeForm();
  const draft = new Draft(form);
  type("name", "Writers");
  submit(form, { formTarget: "preview" });
  assert.equal(drafts()[0].isSent, false);
  submit(form);
  window.hear("pagehide");
  assert.equal(drafts()[0].isSent, true);
  Object.assign(document, { cookie: `cms_saved_draft=${encodeURIComponent("7:other")}` });
  dropSaved();
  assert.equal(drafts().length, 1);
  Object.assign(document, { cookie: `a=b; cms_saved_draft=${encodeURIComponent(draft.key)}` });
  dropSaved();
  assert.deepEqual(drafts(), []);
  assert.match(document.cookie, /max-age=0/);
});

test("the browser keeps no copy of what the server stored before it, and says who has it", () => {
  const { form, fields, type } = makeForm();
  const draft = new Draft(form);
  fields[0].value = "Writers";
  draft.stored(JSON.stringify({ name: ["Writers"] })); // while the browser still waits for the end of typing
  draft.state.textContent = "on the server";
  type("name", "Writers");
  assert.deepEqual(drafts(), []);
  assert.equal(draft.state.textContent, "on the server");
  type("name", "Writers of News");
  draft.stored(JSON.stringify({ name: ["Writers"] }));
  assert.equal(drafts().length, 1);
});

test("what another window is writing stays when a form is stored", () => {
  const { form, type } = makeForm();
  const draft = new Draft(form);
  type("name", "Writers");
  Object.assign(document, { cookie: `cms_saved_draft=${encodeURIComponent(draft.key)}` });
  dropSaved();
  assert.equal(drafts().length, 1);
});

test("the page that shows a refused form goes on with its draft", () => {
  const first = makeForm();
  new Draft(first.form);
  first.type("name", "Writers");
  submit(first.form);
  const second = makeForm({ isRefused: true });
  second.fields[0].value = "Writers";
  new Draft(second.form);
  second.type("about", "New");
  assert.deepEqual(drafts().map(({ fields }) => fields), [{ name: ["Writers"], about: ["New"] }]);
});

test("what a browser puts back after Back is a change; what the page itself fills in is none", () => {
  for (const [kind, expected] of [["back_forward", [{ name: ["Typed"] }]], ["reload", [{ name: ["Typed"] }]], ["navigate", []]]) {
    navigation = kind;
    Object.defineProperty(globalThis, "localStorage", { value: new Store(), configurable: true });
    const { form, fields } = makeForm();
    fields[0].value = "Typed";
    new Draft(form);
    assert.deepEqual(drafts().map((each) => each.fields), expected, kind);
  }
});

// ---- Leaving

const asks = () => window.hear("beforeunload").defaultPrevented;

test("a changed form asks before it is left, unless it is being sent", () => {
  globalThis.window = Object.assign(new Fake(), { setTimeout: (act) => act(), clearTimeout() {} });
  const { form, type } = makeForm();
  const unsaved = new Unsaved(form);
  assert.deepEqual([asks(), unsaved.state.textContent ?? ""], [false, ""]);
  type("name", "Writers");
  assert.deepEqual([asks(), unsaved.state.textContent], [true, "Not saved."]);
  submit(form, { formTarget: "preview" });
  assert.equal(asks(), true);
  submit(form);
  assert.deepEqual([asks(), unsaved.state.textContent], [false, "Saving"]);
  form.hear("released");
  assert.equal(asks(), true);
  type("name", "Editors");
  assert.deepEqual([asks(), unsaved.state.textContent], [false, ""]);
});

test("editors write into their fields before the form is asked, and a refused form asks at once", () => {
  globalThis.window = new Fake();
  const { form, fields } = makeForm();
  form.addEventListener("collect", () => {
    fields[1].value = "From the editor";
  });
  new Unsaved(form);
  assert.equal(asks(), true);
  globalThis.window = new Fake();
  new Unsaved(makeForm({ isRefused: true }).form);
  assert.equal(asks(), true);
});
