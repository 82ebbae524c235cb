import assert from "node:assert/strict";
import { test } from "node:test";

globalThis.document = { documentElement: { lang: "en" } };
const { Words } = await import("../../core/admin/editor/src/words.js");
const words = new Words({ kept: "Kept at {time} by {name}." });

test("places are filled in, and what is not known stays as it is", () => {
  assert.equal(words.say("kept", { time: "9:00" }), "Kept at 9:00 by {name}.");
  assert.equal(words.say("missing"), "missing");
});

test("sizes are told in the unit in which they are at least one", () => {
  const cases = { 0: "0 byte", 999: "999 byte", 1000: "1 kB", 1250: "1.3 kB", 4000000: "4 MB", 7e9: "7 GB", 2e12: "2,000 GB" };
  for (const [bytes, told] of Object.entries(cases)) {
    assert.equal(words.size(Number(bytes)), told);
  }
});

test("a moment of today has no day", () => {
  const now = new Date();
  now.setHours(7, 5);
  assert.equal(words.time(now.getTime()), "07:05");
  assert.equal(words.time(new Date(2020, 1, 3, 14, 9).getTime()), "2020-02-03 14:09");
});
