import assert from "node:assert/strict";
import { test } from "node:test";

const listeners = {};
globalThis.document = { getElementById: () => null, documentElement: { lang: "en" } };
globalThis.window = { addEventListener: (name, listener) => (listeners[name] = listener) };
const requests = [];
globalThis.XMLHttpRequest = class extends EventTarget {
  upload = new EventTarget();
  headers = {};
  constructor() {
    super();
    requests.push(this);
  }
  open(...to) {
    this.to = to;
  }
  setRequestHeader(name, value) {
    this.headers[name] = value;
  }
  send(form) {
    this.form = form;
  }
  abort() {
    this.dispatchEvent(new Event("loadend"));
  }
  answer(status, text, responseURL = "http://here/upload") {
    Object.assign(this, { status, responseText: text, responseURL });
    this.dispatchEvent(new Event("load"));
    this.dispatchEvent(new Event("loadend"));
  }
};
const { Transfer, kindOf } = await import("../../core/admin/editor/src/uploads/transfer.js");

const words = { say: (name) => name };
const newTransfer = (name = "a.png") => new Transfer(new File(["a"], name), { address: "/upload", kind: "image", token: "t", words });
const ask = () => {
  const event = new Event("beforeunload", { cancelable: true });
  listeners.beforeunload(event);
  return event.defaultPrevented;
};

test("a file is sent as its kind", () => {
  const kinds = { "image/png": "image", "video/mp4": "video", "audio/mpeg": "video", "text/plain": "file", "": "file" };
  for (const [type, kind] of Object.entries(kinds)) {
    assert.equal(kindOf({ type }), kind);
  }
  assert.equal(kindOf({ name: "IMG_1.HEIC", type: "" }), "image");
});

test("a file is sent with its token, and the answer is what the server said", async () => {
  const answered = newTransfer().start();
  const request = requests.pop();
  assert.deepEqual(request.to, ["POST", "/upload"]);
  assert.deepEqual(request.headers, { "X-CSRFToken": "t", Accept: "application/json" });
  assert.equal(request.form.get("kind"), "image");
  assert.equal(request.form.get("file").name, "a.png");
  request.answer(200, '{"address": "/a.png"}');
  assert.deepEqual(await answered, { address: "/a.png" });
});

test("a refusal has the server's words, or tells what happened", async () => {
  const cases = [
    [400, '{"message": "Too wide."}', "", { message: "Too wide.", outcome: "refused" }],
    [413, "<html>", "", { message: "upload_too_large", outcome: "refused" }],
    [403, "", "", { message: "refused", outcome: "refused" }],
    [401, '{"message": "Sign in."}', "", { message: "signedOut", outcome: "signedOut" }],
    [200, "<form>", "http://here/admin/login/?next=/", { message: "signedOut", outcome: "signedOut" }],
    [502, "null", "", { message: "lost", outcome: "lost" }],
    [0, "", "", { message: "lost", outcome: "lost" }],
  ];
  for (const [status, text, responseURL, expected] of cases) {
    const answered = newTransfer().start();
    requests.pop().answer(status, text, responseURL);
    await assert.rejects(answered, expected);
  }
});

test("three files are sent at once, and one that waits can be cancelled", async () => {
  const transfers = ["1", "2", "3", "4", "5"].map(newTransfer);
  const answers = transfers.map((transfer) => transfer.start());
  assert.equal(requests.length, 3);
  assert.equal(ask(), true);
  transfers[3].cancel();
  assert.equal(await answers[3], null);
  requests[0].answer(200, '{"address": "/1"}');
  assert.deepEqual(requests.map((request) => request.form.get("file").name), ["1", "2", "3", "5"]);
  transfers[1].cancel();
  assert.equal(await answers[1], null);
  requests[2].answer(200, '{"address": "/3"}');
  requests[3].answer(200, '{"address": "/5"}');
  await Promise.all(answers);
  assert.equal(ask(), false);
});
