import assert from "node:assert/strict";
import { test } from "node:test";
import { answer, Clock, Fake, load, run, settle } from "./page.mjs";

test("empty fields of a filter are not sent, and another site forgets the channel", () => {
  const [site, channel, word] = ["1", "7", ""].map((value) => new Fake({ name: "a", value, disabled: false }));
  const elements = Object.assign([site, channel, word], { site__id__exact: site, channel__id__exact: channel });
  const form = new Fake({ elements });
  const page = run("contents/static/contents/filters.js", { found: { "form[data-filters]": form } });
  const disabled = () => elements.map((field) => field.disabled);
  form.hear("submit");
  assert.deepEqual(disabled(), [false, false, true]);
  page.hear("pageshow");
  assert.deepEqual(disabled(), [false, false, false]);
  site.hear("change");
  assert.deepEqual([channel.value, ...disabled()], ["", false, true, false]);
});

/** The form of a content with a field of tags, of which some are known. */
function contentForm({ known = [], tags = "", title = "" }) {
  const input = new Fake({ value: tags, defaultValue: tags });
  const list = new Fake({ options: known.map((value) => ({ value })) });
  const counted = new Fake({ id: "id_title", value: title, dataset: { count: "10" } });
  const found = { ".tabs": new Fake(), "[data-count]": counted };
  const form = new Fake({ elements: { tags: input, title: counted, seen_version: { value: "" } }, dataset: { left: "{count} left" } }, found);
  const told = [];
  counted.after = (each) => told.push(each);
  run("contents/static/contents/writing.js", { ids: { "content-form": form, "known-tags": list } });
  return { input, list, counted, told };
}

test("tags are suggested for the last one of several, without those that are there", () => {
  const { input, list } = contentForm({ known: ["Tide", "Tidal range", "Wind", "风，浪"], tags: "" });
  const suggest = (typed) => {
    input.value = typed;
    input.hear("input");
    return list.children.map((option) => option.value);
  };
  assert.deepEqual(suggest("tid"), ["Tide", "Tidal range"]);
  assert.deepEqual(suggest("Wind, tid"), ["Wind,Tide", "Wind,Tidal range"]);
  assert.deepEqual(suggest("Tide, tid"), ["Tide,Tidal range"]);
  assert.deepEqual(suggest("雨、wi"), ["雨,Wind"]);
  assert.deepEqual(suggest("风，浪,wi"), ["风，浪,Wind"]);
});

test("characters are counted as people do, from the beginning on", () => {
  const { counted, told } = contentForm({ title: "𠮷a" });
  assert.equal(told[0].textContent, "8 left");
  counted.value = "12345678901";
  counted.hear("input");
  assert.equal(told[0].textContent, "-1 left");
});

test("a text is copied by the clipboard, else by selecting it, and only what was done is told", async () => {
  const text = new Fake({ textContent: "token" });
  const copied = new Fake();
  const copy = async (writeText, isSelectable) => {
    const button = new Fake({ dataset: { copy: "text", copied: "Copied." }, hidden: true });
    const selected = [];
    const page = await load("copy.js", {
      ids: { text, copied },
      found: { "[data-copy]": button },
      navigator: { clipboard: { writeText } },
      getSelection: () => ({ removeAllRanges() {}, addRange: (range) => selected.push(range.node) }),
    });
    page.document.createRange = () => ({ selectNodeContents(node) { this.node = node; } });
    page.document.execCommand = () => isSelectable;
    button.hear("click");
    await settle();
    assert.equal(button.hidden, false);
    return [copied.textContent, selected];
  };
  const written = [];
  const refuse = async () => { throw new Error("not allowed"); };
  assert.deepEqual(await copy(async (each) => written.push(each), false), ["Copied.", []]);
  assert.deepEqual(written, ["token"]);
  assert.deepEqual(await copy(refuse, true), ["Copied.", [text]]);
  assert.deepEqual(await copy(refuse, false), ["", [text]]);
});

test("the box for all rows follows those that are chosen", async () => {
  const boxes = [false, true, false].map((checked) => ({ checked }));
  const label = new Fake({ hidden: true });
  const all = new Fake({ within: { label } });
  const told = new Fake({ dataset: { chosen: "chosen:" } });
  const form = new Fake({}, { 'input[name="ids"]': boxes, "[data-choose-all]": all, "[data-chosen]": told });
  await load("selection.js", { found: { "form[data-actions]": form } });
  const look = () => [told.textContent, all.checked, all.indeterminate];
  form.hear("change");
  assert.deepEqual(look(), ["chosen: 1", false, true]);
  all.checked = true;
  all.hear("change");
  assert.deepEqual(look(), ["chosen: 3", true, false]);
  all.checked = false;
  all.hear("change");
  assert.deepEqual(look(), ["", false, false]);
  assert.equal(label.hidden, false);
});

test("what opens below its button closes by a click beside it, and by Escape, which then does nothing else", async () => {
  const summary = new Fake();
  const menu = new Fake({ open: true }, { summary });
  const page = await load("menu.js", { found: { ".account-menu, .menu-sites, .more-actions, .filter-fields, .list-view, .orders": menu } });
  page.document.hear("click", { composedPath: () => [menu] });
  assert.equal(menu.open, true);
  page.document.hear("click", { composedPath: () => [] });
  assert.equal(menu.open, false);
  assert.equal(menu.hear("keydown", { key: "Escape" }).defaultPrevented, false);
  menu.open = true;
  assert.equal(menu.hear("keydown", { key: "Enter" }).defaultPrevented, false);
  assert.equal(menu.hear("keydown", { key: "Escape" }).defaultPrevented, true);
  assert.deepEqual([menu.open, summary.isFocused], [false, true]);
});

/** A setting with its text, and whether it belongs to a switch. */
const setting = (textContent, dataset = {}) => new Fake({ textContent, dataset });

test("settings are found by all words, and hidden with the switch that they belong to", () => {
  const master = { checked: false };
  const settings = [setting("Width of a picture"), setting("Height of a picture", { switch: "pictures" }), setting("Language")];
  const groups = [settings.slice(0, 2), settings.slice(2)].map((own, number) => new Fake({ id: `group-${number}` }, { ".setting": own }));
  const news = new Fake({ dataset: { none: "Nothing found." } });
  const search = new Fake({ value: "", parentElement: new Fake({}, { "[role=status]": news }), within: { ".settings-search": new Fake() } });
  run("sites/static/sites/site_settings.js", {
    ids: { "settings-search": search, "show-names": new Fake(), id_pictures: master },
    found: { ".settings-group": groups, ".setting": settings },
    localStorage: { getItem: () => null },
  });
  const find = (value) => {
    search.value = value;
    search.hear("input");
    return [...settings, ...groups].map((each) => !each.hidden);
  };
  // Without words, the first group is shown.
  assert.deepEqual(find(""), [true, false, true, true, false]);
  assert.deepEqual(find(" PICTURE height "), [false, true, false, true, false]);
  assert.equal(news.textContent, "");
  assert.deepEqual(find("tide"), [false, false, false, false, false]);
  assert.equal(news.textContent, "Nothing found.");
  master.checked = true;
  assert.deepEqual(find(""), [true, true, true, true, false]);
});

test("of several answers about a channel's addresses the last one that was asked for is shown", async () => {
  const clock = new Clock();
  const field = new Fake({ name: "index_name", value: "a" });
  const shown = new Fake({ dataset: { shows: "channel" } });
  const box = new Fake({ dataset: { query: "site=1", address: "/addresses" } }, { "[data-shows]": shown });
  const rule = (name) => new Fake({ name, value: "", within: { ".form-row": new Fake() } });
  const offered = new Fake();
  const answers = [];
  run("channels_app/static/channels_app/form.js", {
    ids: {
      addresses: box,
      id_index_name: field,
      id_content_file_path_rule: rule("contents"),
      id_channel_file_path_rule: rule("channels"),
      tokens: { content: { cloneNode: () => ({ firstElementChild: offered }) } },
    },
    fetch: (address) => new Promise((resolve) => answers.push({ address, resolve })),
    setTimeout: clock.setTimeout,
    clearTimeout: () => {},
  });
  field.value = "b";
  field.hear("input");
  await Promise.race([clock.next(), settle()]);
  assert.deepEqual(answers.map(({ address }) => address), ["a", "b"].map((name) => `/addresses?site=1&index_name=${name}&channels=&contents=`));
  const resolve = (place, channel) => answers[place].resolve(answer({ channel }));
  resolve(1, "/b.html");
  await settle();
  resolve(0, "/a.html");
  await settle();
  assert.equal(shown.textContent, "/b.html");
});
