import assert from "node:assert/strict";
import { test } from "node:test";

globalThis.window = { location: { origin: "https://cms.example" } };
const { Sources, isFileAddress, isSafeAddress, isWrittenAddress } = await import("../../core/admin/editor/src/sources.js");

test("addresses that run or hold something are not safe, however their scheme is written", () => {
  const unsafe = ["javascript:go()", "JavaScript:go()", " java\nscript:go()", "\u0001javascript:go()", "java\u200bscript:go()",
    "java\u0085script:go()", "data:text/html,a", "vbscript:a", "file:///etc/passwd", "blob:a"];
  const safe = ["", "/a", "a/b:c", "#a:b", "?a=b:c", "https://a.example", "HTTP://a.example", "mailto:a@b.example", "tel:1", "sms:1",
    "ftp://a.example", "@/upload/a.png", "//a.example"];
  assert.deepEqual(unsafe.filter(isSafeAddress), []);
  assert.deepEqual(safe.filter((address) => !isSafeAddress(address)), []);
});

test("a file has a whole address, or one from the root of the host or the site", () => {
  const files = ["/a.mp4", "@/a.mp4", "https://a.example/b", "//a.example", "http://a.example?b"];
  const others = ["", "/", "a.mp4", "@a.mp4", "ftp://a.example/b", "https:///a", "//", "https://a b/c", "javascript:/a"];
  assert.deepEqual(files.filter((address) => !isFileAddress(address)), []);
  assert.deepEqual(others.filter(isFileAddress), []);
});

test("words are told from what is written like an address", () => {
  const addresses = ["/a", "@/_content/61", "~/a", "#part", "?a=b", "../a", "https://a.example", "mailto:a@b.example", "www.a.example", "a.html", "a/b"];
  const words = ["", "tides", "high water", "Harbour opens, 2026!", "灯塔", "灯塔 开放"];
  assert.deepEqual(addresses.filter((address) => !isWrittenAddress(address)), []);
  assert.deepEqual(words.filter(isWrittenAddress), []);
});

test("the editor loads uploads of all sites, and files with the ending of a picture, film or sound", () => {
  const sources = new Sources("/uploads/site-1/");
  const cases = {
    "@/upload/a.png": "/uploads/site-1/upload/a.png",
    "/uploads/site-2/a": "/uploads/site-2/a",
    "/files/a.JPEG?b=c": "/files/a.JPEG?b=c",
    "https://cms.example/a.webm": "https://cms.example/a.webm",
    "data:image/png;base64,AA==": "data:image/png;base64,AA==",
  };
  for (const [address, shown] of Object.entries(cases)) {
    assert.equal(sources.shown(address), shown);
  }
});

test("the editor asks for nothing of other hosts, of the service itself or outside a folder", () => {
  const sources = new Sources("/uploads/site-1/");
  const refused = ["", "a.png", "https://elsewhere.example/a.png", "//elsewhere.example/a.png", "/admin/a.png", "/API/v1/a.png",
    "/static/a.png", "/files/a.html", "/uploads/../admin/a.png", "/uploads/%2e%2e/admin/a.png", "/files/a%2Fb.png",
    "/files\\a.png", "/files/a\n.png", "data:text/html,a", "javascript:a.png"];
  assert.deepEqual(refused.filter((address) => sources.shown(address) !== ""), []);
  assert.equal(new Sources("").shown("@/a.png"), "");
});
