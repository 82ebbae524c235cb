import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { answer, Clock, Fake } from "./page.mjs";

const words = { saving: "Saving…", slow: "Still saving…", stopped: "Stopped.", sendAgain: "Send again", signedOut: "You are signed out.",
  signIn: "Sign in", refused: "Refused.", lost: "Lost.", again: "Try again", close: "Close" };
const frameWords = new Fake({ dataset: words });
globalThis.document = new Fake({ getElementById: () => frameWords, documentElement: { lang: "en" } });
globalThis.window = new Fake({ location: { pathname: "/here/", search: "?a=1" } });
const { ask, judge, judgeUpload, request } = await import("../../core/admin/editor/src/frame/request.js");
const { fieldsOf, fillForm, isSame, isShown, readForm, sentValuesOf } = await import("../../core/admin/editor/src/frame/fields.js");
const { pressByKeys } = await import("../../core/admin/editor/src/frame/shortcuts.js");
const { sendFormsOnce } = await import("../../core/admin/editor/src/frame/submit_once.js");

let failures = [];

/** An element that knows where it is put, so that what is shown can be read and taken away. */
const create = (name) => {
  const made = new Fake({ name, textContent: "" });
  made.append = (...children) => {
    made.children.push(...children);
    made.textContent = made.children.map((child) => child.textContent ?? child).join("");
    made.firstChild = made.children[0];
  };
  made.setAttribute = (key, value) => {
    made.attributes[key] = value;
    if (key.startsWith("data-")) {
      made.dataset[key.slice(5)] = value;
    }
  };
  made.remove = () => {
    failures = failures.filter((each) => each !== made);
  };
  return made;
};

beforeEach(() => {
  failures = [];
  document.createElement = create;
  document.body = { append: (made) => failures.push(made) };
  document.querySelector = (selector) => (selector === ".request-failure" ? (failures[0] ?? null) : null);
});

const shown = () => failures.map((each) => each.children.filter((child) => child !== "").map((child) => child.textContent));

test("a response has one of four outcomes", () => {
  const cases = [
    [{ status: 200, text: '{"a": 1}' }, "ok", undefined],
    [{ status: 204, text: "" }, "lost", "Lost."],
    [{ status: 200, text: "<h1>Another proxy</h1>" }, "lost", "Lost."],
    [{ status: 200, isRedirected: true, text: "<form>" }, "signedOut", "You are signed out."],
    [{ status: 401, text: "" }, "signedOut", "You are signed out."],
    [{ status: 400, text: '{"message": "Too long."}' }, "refused", "Too long."],
    [{ status: 404, text: "<h1>Not found</h1>" }, "refused", "Refused."],
    [{ status: 403, text: '{"message": 7}' }, "refused", "Refused."],
    [{ status: 503, text: '{"message": "The storage is away."}' }, "lost", "The storage is away."],
    [{ status: 500, text: "<h1>Bad gateway</h1>" }, "lost", "Lost."],
    [{ status: 0, text: "" }, "lost", "Lost."],
  ];
  for (const [response, outcome, message] of cases) {
    const judged = judge(response);
    assert.deepEqual([judged.outcome, judged.message], [outcome, message], JSON.stringify(response));
  }
  assert.deepEqual(judge({ status: 200, text: '{"a": 1}' }).data, { a: 1 });
  assert.deepEqual(judge({ status: 200, text: "<tr>" }, true), { outcome: "ok", status: 200, data: "<tr>" });
  assert.equal(judge({ status: 204, text: "" }, true).outcome, "ok");
  assert.equal(judge({ status: 400, text: '{"message": "Too long."}' }, true).message, "Too long.");
  assert.equal(judgeUpload({ status: 200, responseText: "<form>", responseURL: "http://h/admin/login/?next=/" }).outcome, "signedOut");
  assert.equal(judgeUpload({ status: 200, responseText: "{}", responseURL: "http://h/up/" }).outcome, "ok");
});

test("a request says what failed, with the way on, until one succeeds", async () => {
  const asked = [];
  const answers = [answer("", { status: 401 }), new Error("offline"), answer({ message: "No." }, { status: 400 }), answer({ a: 1 })];
  globalThis.fetch = async (address, options) => {
    asked.push([address, options.method ?? "GET", options.headers?.Accept]);
    const given = answers.shift();
    if (given instanceof Error) {
      throw given;
    }
    return given;
  };
  assert.equal((await request("/a")).outcome, "signedOut");
  assert.deepEqual(shown(), [["You are signed out.", "Sign in", "Close"]]);
  assert.equal(failures[0].children[1].attributes.href, "/here/?a=1");
  let retries = 0;
  assert.equal((await request("/a", { post: "x", retry: () => (retries += 1) })).outcome, "lost");
  assert.deepEqual(shown(), [["Lost.", "Try again", "Close"]]);
  failures[0].children[1].hear("click");
  assert.deepEqual([retries, shown()], [1, []]);
  await request("/a", { text: true, retry: () => {} });
  assert.deepEqual(shown(), [["No.", "Close"]]);
  assert.deepEqual((await request("/a")).data, { a: 1 });
  assert.deepEqual(shown(), []);
  assert.deepEqual(asked, [["/a", "GET", "application/json"], ["/a", "POST", "application/json"], ["/a", "GET", "text/html"], ["/a", "GET", "application/json"]]);
});

test("a quiet request shows nothing, and the same failure stays as it is", async () => {
  globalThis.fetch = async () => {
    throw new Error("offline");
  };
  assert.equal((await request("/a", { isQuiet: true })).outcome, "lost");
  assert.deepEqual(failures, []);
  let tried = "";
  await request("/a", { retry: () => (tried = "first") });
  const [first] = failures;
  await request("/a", { retry: () => (tried = "second") });
  assert.equal(failures[0], first);
  first.children[1].hear("click");
  assert.equal(tried, "second");
});

test("a form for a frame is asked about by HEAD", async () => {
  let method = "";
  globalThis.fetch = async (_address, options) => {
    method = options.method;
    return answer("");
  };
  assert.equal((await ask("/preview/")).outcome, "ok");
  assert.equal(method, "HEAD");
});

// ---- Fields

const field = (given) => {
  const made = new Fake({ type: "text", name: "title", value: "", defaultValue: "", autocomplete: "", ...given });
  made.cloneNode = () => field(given);
  return made;
};
const select = (given, values) =>
  field({ type: "select-one", options: values.map(([value, selected, defaultSelected]) => ({ value, selected, defaultSelected })), ...given });

test("secrets, files of the way and chosen rows are no fields", () => {
  const kept = [field({}), field({ name: "tick", type: "checkbox" }), field({ name: "file", type: "file" })];
  const left = [field({ name: "" }), field({ type: "password" }), field({ type: "hidden" }), field({ type: "submit" }), field({ name: "own_password" }),
    field({ name: "client_secret" }), field({ name: "token" }), field({ autocomplete: "one-time-code" }), field({ autocomplete: "new-password" }),
    field({ name: "ids" }), field({ name: "_selected_action" }), field({ within: { dialog: {} } }), field({ within: { "[data-secret]": {} } }),
    field({ type: "fieldset" }), field({ type: undefined })];
  assert.deepEqual(fieldsOf({ elements: [...kept, ...left] }), kept);
  assert.deepEqual(Object.keys(readForm({ elements: kept })), ["title", "tick"]);
});

test("what the server sent is compared in the spelling of the browser", () => {
  const time = field({ defaultValue: "2026-12-10T19:00:00", value: "2027-01-01T00:00" });
  time.cloneNode = () => ({
    set value(text) {
      this.text = text.replace(/(T\d\d:\d\d):00$/, "$1");
    },
    get value() {
      return this.text;
    },
  });
  assert.deepEqual(sentValuesOf(time), ["2026-12-10T19:00"]);
  assert.deepEqual(sentValuesOf(field({ type: "checkbox", value: "1", defaultChecked: true, checked: false })), ["1"]);
  assert.deepEqual(sentValuesOf(field({ type: "radio", value: "1", defaultChecked: false, checked: true })), []);
  assert.deepEqual(sentValuesOf(select({}, [["a", false, false], ["b", true, false]])), ["a"]);
  assert.deepEqual(sentValuesOf(select({}, [["a", false, false], ["b", false, true]])), ["b"]);
  assert.deepEqual(sentValuesOf(select({ multiple: true }, [["a", true, false]])), []);
  assert.deepEqual(sentValuesOf(field({ type: "file", value: "a.png" })), [""]);
});

test("values go back where they came from, and fields that are not named stay", () => {
  const first = field({ name: "row", value: "1" });
  const second = field({ name: "row", value: "2" });
  const box = field({ name: "box", type: "checkbox", value: "on", checked: true });
  const chosen = select({ name: "kind" }, [["a", true], ["b", false]]);
  const other = field({ name: "other", value: "theirs" });
  const form = new Fake({ elements: [first, second, box, chosen, other] });
  const heard = [];
  for (const name of ["collect", "restored", "change"]) {
    form.addEventListener(name, () => heard.push(name));
  }
  first.addEventListener("input", () => heard.push("input"));
  fillForm(form, { row: ["3", "4"], box: [], kind: ["b"] });
  assert.deepEqual(readForm(form), { row: ["3", "4"], box: [], kind: ["b"], other: ["theirs"] });
  assert.deepEqual(heard, ["collect", "input", "restored", "change"]);
});

test("a draft is shown by a form that has its values, whatever else the form has", () => {
  assert.equal(isShown({ a: ["1"] }, { a: ["1"], b: ["2"] }), true);
  assert.equal(isShown({ a: ["1"] }, { a: ["2"] }), false);
  assert.equal(isShown({ gone: ["1"] }, { a: ["2"] }), true);
  assert.deepEqual([isSame(["a"], ["a"]), isSame(["a"], [])], [true, false]);
});

// ---- Keys

test("keys press the button that the form names, or else the usual one", () => {
  const pressed = [];
  const make = (name) => new Fake({ click: () => pressed.push(name) });
  const press = (found, given) => {
    pressed.length = 0;
    const inForm = ([way, each]) => [/^(dialog|[.])/.test(way) ? way : `main form[method=post] ${way}`, each];
    globalThis.document = new Fake({}, Object.fromEntries(Object.entries(found).map(inForm)));
    pressByKeys();
    const event = document.hear("keydown", { ctrlKey: true, ...given });
    return [pressed.join(), event.defaultPrevented];
  };
  const usual = { "[name=_save]": make("save"), "[name=_continue]": make("continue") };
  const named = { ...usual, "[aria-keyshortcuts~='Control+S']": make("draft"), "[aria-keyshortcuts~='Control+Enter']": make("submit") };
  const undo = { ".messagelist [aria-keyshortcuts~='Control+Z']": make("undo") };
  const cases = [
    [named, { key: "s" }, ["draft", true]],
    [named, { key: "Enter" }, ["submit", true]],
    [usual, { key: "S" }, ["continue", true]],
    [usual, { key: "Enter" }, ["save", true]],
    [usual, { key: "s", ctrlKey: false, metaKey: true }, ["continue", true]],
    [usual, { key: "s", repeat: true }, ["", true]],
    [usual, { key: "s", ctrlKey: false }, ["", false]],
    [usual, { key: "s", shiftKey: true }, ["", false]],
    [usual, { key: "Enter", altKey: true }, ["", false]],
    [usual, { key: "s", isComposing: true }, ["", false]],
    [usual, { key: "x" }, ["", false]],
    [usual, { key: undefined }, ["", false]],
    [{ ...usual, "dialog[open]": make("dialog") }, { key: "Enter" }, ["", false]],
    [{}, { key: "s" }, ["", false]],
    [undo, { key: "z", target: new Fake() }, ["undo", true]],
    [undo, { key: "z", shiftKey: true, target: new Fake() }, ["", false]],
    [undo, { key: "z", target: new Fake({ closest: () => new Fake() }) }, ["", false]], // a field
    [usual, { key: "z", target: new Fake() }, ["", false]],
  ];
  for (const [found, given, wanted] of cases) {
    assert.deepEqual(press(found, given), wanted, JSON.stringify(given));
  }
});

// ---- Sending once

/** A page with one form and its button, and what becomes of it. */
function page({ target = "", method = "post", busy, download } = {}) {
  const clock = new Clock();
  const cleared = new Set();
  globalThis.document = Object.assign(new Fake(), { getElementById: () => frameWords, createElement: create });
  globalThis.window = Object.assign(new Fake(), {
    setTimeout: clock.setTimeout,
    clearTimeout: (number) => cleared.add(number),
    navigation: new Fake(),
  });
  sendFormsOnce();
  const notes = [];
  const form = new Fake({ target, dataset: { ...(busy && { busy }), ...(download && { download: "" }) } });
  form.attributes.method = method;
  const button = new Fake({ value: "Issue the key", isConnected: true, form, matches: () => true, within: { main: {} } });
  form.append = (note) => {
    notes.push(note);
    note.remove = () => notes.splice(notes.indexOf(note), 1);
  };
  form.querySelector = () => notes[0] ?? null;
  form.requestSubmit = (by) => send(by);
  const send = (submitter = button, isStopped = false) => {
    const event = Object.defineProperties(new Event("submit", { cancelable: true }), { target: { value: form }, submitter: { value: submitter } });
    document.dispatchEvent(event);
    const isRefused = event.defaultPrevented;
    if (isStopped) {
      event.preventDefault();
    }
    if (!isRefused) {
      window.dispatchEvent(event);
    }
    return !isRefused;
  };
  const pass = async (delay) => {
    const index = clock.waiting.findIndex((each, place) => (each.delay ?? 0) === delay && !cleared.has(place + 1));
    const [{ act }] = index < 0 ? [{ act() {} }] : clock.waiting.splice(index, 1, { act() {}, delay: -1 });
    await act();
  };
  return { form, button, notes, send, pass };
}

test("a second click sends nothing while the first is under way, and the button says so", async () => {
  const { form, button, send, pass } = page();
  assert.equal(send(), true);
  assert.equal(button.disabled, undefined); // or it would not be sent itself
  assert.equal(form.attributes["aria-busy"], "true");
  await pass(0);
  assert.deepEqual([button.disabled, button.value], [true, "Saving…"]);
  assert.equal(send(), false);
  assert.equal(send(new Fake()), false);
});

test("a form that gets no answer may be sent again after eight seconds, by its own button or the note's", async () => {
  const { form, button, notes, send, pass } = page();
  let released = 0;
  form.addEventListener("released", () => (released += 1));
  send();
  await pass(0);
  await pass(8000);
  assert.deepEqual([button.disabled, button.value, form.attributes["aria-busy"], released], [false, "Issue the key", undefined, 1]);
  assert.equal(notes[0].textContent, "Still saving… Send again");
  notes[0].children.at(-1).hear("click");
  assert.deepEqual([form.attributes["aria-busy"], notes.length], ["true", 0]);
});

test("a save that was stopped, or a page that came back, may be sent again at once", async () => {
  for (const [stop, told] of [[() => window.navigation.hear("navigateerror"), ["Stopped. Send again"]], [() => window.hear("pageshow"), []]]) {
    const { notes, send, pass } = page();
    send();
    await pass(0);
    stop();
    assert.deepEqual(notes.map((note) => note.textContent), told);
    assert.equal(send(), true);
  }
});

test("previews, forms that only ask, and forms that a script stopped are left alone", () => {
  for (const [given, submitter, isStopped] of [[{ target: "frame" }], [{ method: "get" }], [{}, new Fake({ formTarget: "_blank" })], [{}, undefined, true]]) {
    const { form, send } = page(given);
    send(submitter, isStopped);
    assert.equal(form.attributes["aria-busy"], undefined);
    assert.equal(send(submitter), true);
  }
});

test("a form that takes long says what it does, and waits longer; a download has no page to wait for", async () => {
  const long = page({ busy: "The file is read." });
  long.send();
  assert.equal(long.notes[0].textContent, "The file is read. ");
  await long.pass(8000);
  assert.equal(long.send(), false);
  await long.pass(60_000);
  assert.equal(long.notes[0].textContent, "Still saving… Send again");
  const download = page({ download: true });
  download.send();
  await download.pass(0);
  assert.equal(download.button.value, "Issue the key");
  window.navigation.hear("navigateerror");
  assert.deepEqual(download.notes, []);
  assert.equal(download.send(), true);
});
