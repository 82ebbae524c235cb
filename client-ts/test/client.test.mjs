// The client against a real server with the sample site: CMS_ADDRESS, CMS_KEY.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import * as cms from "cms-api-client";

const { Client, etagOf, order, where } = cms;
const [SITE, NEWS, NOTICES] = [1, 11, 12];
const { CMS_ADDRESS: address, CMS_KEY: apiKey, CMS_AVATAR: avatar } = process.env;
const client = new Client(address, { apiKey });

test("the address may name the interface", async () => {
  for (const ending of ["", "/", "/api", "/api/v1/"]) {
    assert.equal(await new Client(address + ending).ping(), true);
  }
  assert.match((await client.health()).status, /ready|degraded/);
});

test("a page has records and their total", async () => {
  const page = await client.contents.list({ siteId: SITE, channelId: NEWS, perPage: 2, fields: ["id", "title"] });
  assert.equal(page.records.length, 2);
  assert.deepEqual(Object.keys(page.records[0]).sort(), ["id", "title"]);
  assert.ok(page.total > 2);
});

test("iteration gives each content once, with and without cursors", async () => {
  const { total } = await client.contents.list({ siteId: SITE, channelId: NEWS, perPage: 1 });
  for (const orders of [undefined, [order("addDate", { desc: true })], [order("summary")]]) {
    const request = { siteId: SITE, channelId: NEWS, perPage: 3, orders, fields: ["id"] };
    const ids = [];
    for await (const content of client.contents.list(request)) {
      ids.push(content.id);
    }
    assert.equal(new Set(ids).size, ids.length);
    assert.equal(ids.length, total);
    let pages = 0;
    for await (const page of client.contents.list(request).pages()) {
      pages += page.records.length > 0;
    }
    assert.equal(pages, Math.ceil(total / 3));
  }
});

test("rules combine", async () => {
  const rules = cms.allOf(where("hits", ">", 0), cms.not(where("title", "In", ["nothing", "else"])));
  const { records } = await client.contents.list({ siteId: SITE, wheres: [rules], perPage: 50 });
  assert.ok(records.length > 0);
  assert.ok(records.every((content) => content.hits > 0));
  assert.throws(() => where("title", "In", ["a,b"]), TypeError);
  assert.throws(() => where("title", "="), TypeError);
});

test("the change feed waits for a change and continues at its cursor", async () => {
  const feed = client.changes({ siteId: SITE });
  const changes = feed[Symbol.asyncIterator]();
  const first = changes.next();
  while (feed.cursor === undefined) {
    await setImmediate();
  }
  const made = await client.contents.create(SITE, NEWS, { title: "Followed" });
  const { value } = await first;
  assert.deepEqual([value.event, value.contentId, value.isDeleted], ["content.created", made.id, false]);
  await client.contents.delete(SITE, NEWS, made.id);
  const later = client.changes({ siteId: SITE, after: value.id, wait: 0 });
  for await (const change of later) {
    assert.deepEqual([change.event, change.contentId, change.isDeleted], ["content.trashed", made.id, true]);
  }
});

test("a content lives, with a custom field", async () => {
  const made = await client.contents.create(SITE, NEWS, { title: "灯塔 & <fog>", berth: "B 3" });
  assert.equal(made.berth, "B 3");
  assert.equal((await client.contents.get(SITE, NEWS, made.id, { fields: ["title"] })).title, "灯塔 & <fog>");
  assert.equal((await client.contents.update(SITE, NEWS, made.id, { isTop: true })).isTop, true);
  const [checked] = await client.contents.check(SITE, [{ channelId: NEWS, id: made.id }], { reasons: "read" });
  assert.equal(checked.isChecked, true);
  await client.contents.delete(SITE, NEWS, made.id);
  await assert.rejects(client.contents.get(SITE, NEWS, made.id), (error) => {
    assert.ok(error instanceof cms.NotFound && error instanceof cms.AnswerError && error instanceof cms.CmsError);
    assert.deepEqual([error.status, error.code, error.name], [404, "content_not_found", "NotFound"]);
    assert.equal(error.members.message, error.message);
    assert.ok(error.requestId);
    return true;
  });
});

test("an outdated ETag changes nothing, and a current one saves a download", async () => {
  const made = await client.contents.create(SITE, NEWS, { title: "Seen" });
  const seen = await client.contents.get(SITE, NEWS, made.id);
  const ifMatch = etagOf(seen);
  await assert.rejects(client.contents.get(SITE, NEWS, made.id, { ifNoneMatch: ifMatch }), cms.NotModified);
  const changed = await client.contents.update(SITE, NEWS, made.id, { title: "Changed" }, { ifMatch });
  await assert.rejects(client.contents.update(SITE, NEWS, made.id, { title: "Lost" }, { ifMatch }), (error) => {
    assert.ok(error instanceof cms.PreconditionFailed);
    assert.deepEqual([error.record.title, error.etag], ["Changed", etagOf(changed)]);
    return true;
  });
  await client.contents.delete(SITE, NEWS, made.id, { ifMatch: etagOf(changed) });
  assert.throws(() => etagOf({}), TypeError);
});

test("a batch is all or none, or each by itself", async () => {
  const [first, second] = await client.contents.createMany(SITE, NEWS, [{ title: "A" }, { title: "B" }], {
    fields: ["id"],
  });
  const ids = [first.id, second.id];
  const updated = await client.contents.updateMany(SITE, NEWS, [{ id: first.id, isHot: true }]);
  assert.equal(updated[0].isHot, true);
  assert.equal((await client.contents.checkMany(SITE, NEWS, ids))[1].isChecked, true);
  await client.contents.moveMany(SITE, NEWS, ids, NOTICES);
  await assert.rejects(client.contents.deleteMany(SITE, NOTICES, [...ids, 999999]), cms.AnswerError);
  const results = await client.contents.deleteMany(SITE, NOTICES, [...ids, 999999], { atomic: false });
  assert.deepEqual(results.slice(0, 2).map((content) => content.title), ["A", "B"]);
  assert.ok(results[2] instanceof cms.NotFound);
});

test("channels are made, moved and deleted", async () => {
  const made = await client.channels.create(SITE, { parentId: NEWS, channelName: "Lighthouse log" });
  assert.equal((await client.channels.move(SITE, made.id, { parentId: SITE, before: NEWS })).parentId, SITE);
  assert.equal((await client.channels.update(SITE, made.id, { keywords: "log" })).keywords, "log");
  const tree = await client.channels.tree(SITE);
  assert.ok(tree.some((channel) => channel.id === made.id));
  await client.channels.delete(SITE, made.id);
  await assert.rejects(client.channels.get(SITE, made.id), cms.NotFound);
});

test("values of template tags and rows", async () => {
  const contents = await client.stl.contents({ channelIndex: "news", totalNum: 2, columns: { title: "nothing" } });
  assert.deepEqual(contents, []);
  assert.equal((await client.stl.contents({ channelId: NEWS, totalNum: 2 })).length, 2);
  assert.ok((await client.stl.sites()).length > 0);
  assert.ok((await client.stl.channels({ channelId: SITE })).length > 0);
  assert.equal(typeof (await client.stl.text("channel", { channelId: NEWS, type: "channelName" })), "string");
  assert.match(await client.stl.address({ channelId: NEWS }), /\//);
  assert.ok((await client.stl.count({ channelId: NEWS })) > 0);
  assert.equal((await client.stl.site()).id, SITE);
  assert.equal((await client.stl.channel({ channelId: NEWS })).id, NEWS);
  assert.ok((await client.stl.content({ contentId: 3 })).title);
  assert.ok((await client.stl.content({ contentId: 3, _fields: "navigationUrl" })).navigationUrl);
  const rows = await client.sql.rows("SELECT TOP 3 Id, Title FROM siteserver_Content");
  assert.deepEqual([rows.length, rows.isTruncated], [3, false]);
  assert.deepEqual(Object.keys(await client.sql.row("SELECT TOP 1 Id FROM siteserver_Content")), ["id"]);
});

test("users sign in, and each is listed", async () => {
  const [password, changed] = ["lantern-27", "lantern-28"];
  const users = [];
  for (const userName of ["tsreader1", "tsreader2", "tsreader3"]) {
    users.push(await client.users.create({ userName, password }));
  }
  const listed = [];
  for await (const user of client.users.list({ keyword: "tsreader" }, { perPage: 1 })) {
    listed.push(user.userName);
  }
  assert.deepEqual(listed, ["tsreader1", "tsreader2", "tsreader3"]);
  assert.equal((await client.users.list({ keyword: "tsreader", top: 1 })).total, 3);
  const [{ id }] = users;
  const login = await client.users.logIn("tsreader1", password);
  assert.equal(login.record.id, id);
  await client.users.update(id, { interests: "ships" }, { userToken: login.accessToken });
  assert.equal((await client.users.logOut(login.accessToken)).id, id);
  await client.users.resetPassword("tsreader1", password, changed);
  await client.users.changePassword(id, changed, password);
  await assert.rejects(client.users.logIn("tsreader1", changed), cms.BadRequest);
  assert.equal((await client.users.note(id, "borrowed", "海图")).summary, "海图");
  assert.equal((await client.users.logs(id, { top: 1 })).records.length, 1);
  const standard = await client.users.avatarUrl(id);
  const picture = new File([await readFile(avatar)], 'my "best"\r\n.png', { type: "image/png" });
  const key = { idempotencyKey: `avatar of ${id}` };
  const first = await client.users.uploadAvatar(id, picture, key);
  assert.deepEqual(await client.users.uploadAvatar(id, picture, key), first);
  assert.notEqual(await client.users.avatarUrl(id), standard);
  for (const user of users) {
    await client.users.delete(user.id);
  }
});

test("administrators", async () => {
  const made = await client.administrators.create({ userName: "tskeeper", password: "lantern-27-x" });
  const login = await client.administrators.logIn("tskeeper", "lantern-27-x");
  assert.equal((await client.administrators.logOut(login.accessToken)).id, made.id);
  await client.administrators.resetPassword("tskeeper", "lantern-27-x", "lantern-28-x");
  assert.equal((await client.administrators.update(made.id, { displayName: "Keeper" })).displayName, "Keeper");
  assert.equal((await client.administrators.get(made.id)).displayName, "Keeper");
  assert.ok((await client.administrators.list({ keyword: "tskeeper" })).records.length === 1);
  await client.administrators.delete(made.id);
});

test("a captcha comes with its cookie", async () => {
  const picture = await new Client(address).captcha.draw("yzm");
  assert.equal(Buffer.from(await picture.png.slice(1, 4).arrayBuffer()).toString(), "PNG");
  await assert.rejects(client.captcha.check(picture, "????"), (error) => error.code === "captcha_wrong");
  await assert.rejects(client.captcha.check(picture, "????"), (error) => error.code === "captcha_expired");
});

test("operations of the document are called by path", async () => {
  const { data } = await client.api.GET("/api/v1/channels/{siteId}/{channelId}", {
    params: { path: { siteId: SITE, channelId: NEWS } },
  });
  assert.equal(data.value.id, NEWS);
});

test("without a key, or with a wrong one, the service is closed, and no error shows the key", async () => {
  await assert.rejects(new Client(address).contents.list({ siteId: SITE }), (error) => error.code === "key_missing");
  const other = new Client(address, { apiKey: "ssk1_wrong" });
  await assert.rejects(other.channels.tree(SITE), (error) => {
    assert.ok(error instanceof cms.Unauthorized);
    assert.doesNotMatch(JSON.stringify(error) + String(error) + error.stack, /ssk1_wrong/);
    return true;
  });
  assert.doesNotMatch(JSON.stringify(other), /ssk1_wrong/);
  for (const key of ["", " key", "k\r\ny", "schlüssel"]) {
    assert.throws(() => new Client(address, { apiKey: key }), (error) => !error.message.includes("schl"));
  }
  for (const wrong of ["ftp://host", "http://host/?a=b", "http://name:word@host"]) {
    assert.throws(() => new Client(wrong), TypeError);
  }
});

test("a file is uploaded, changed, replaced and deleted", async () => {
  const bytes = crypto.getRandomValues(new Uint8Array(100)).map((byte) => 97 + (byte % 26));
  const texts = { title: 'Öffnungszeiten "neu"', tags: "visitors,开放日", credit: "" };
  const { file, isExisting } = await client.media.upload(SITE, bytes, texts, { name: 'my "best" 照片.txt' });
  assert.equal(isExisting, false);
  assert.deepEqual([file.title, file.tags, file.size], [texts.title, texts.tags, 100]);
  const again = await client.media.upload(SITE, new File([bytes], "a.txt"));
  assert.deepEqual([again.file.id, again.isExisting], [file.id, true]);
  const copied = await client.media.upload(SITE, new File([bytes], "a.txt"), {}, { copy: true });
  assert.notEqual(copied.file.id, file.id);
  await assert.rejects(client.media.upload(SITE, new Blob([bytes])), TypeError);
  const seen = await client.media.get(SITE, file.id);
  await assert.rejects(client.media.get(SITE, file.id, { ifNoneMatch: etagOf(seen) }), cms.NotModified);
  const changed = await client.media.update(SITE, file.id, { focalPoint: { x: 0.5, y: 0.2 } });
  assert.deepEqual(changed.focalPoint, { x: 0.5, y: 0.2 });
  const stale = { name: "a.txt", ifMatch: etagOf(seen) };
  await assert.rejects(client.media.replace(SITE, file.id, bytes, stale), cms.PreconditionFailed);
  const replaced = await client.media.replace(SITE, file.id, bytes.slice(1), { name: "a.txt" });
  assert.deepEqual([replaced.address, replaced.size], [file.address, 99]);
  const refused = client.media.uploadFromUrl(SITE, "http://169.254.169.254/a.jpg", { title: "Meta" });
  await assert.rejects(refused, (error) => error instanceof cms.BadRequest && error.code === "address_refused");
  await client.media.delete(SITE, file.id);
  await client.media.delete(SITE, copied.file.id);
  await assert.rejects(client.media.get(SITE, file.id), cms.NotFound);
});

test("an upload that is sent again is stored once", async () => {
  const bytes = crypto.getRandomValues(new Uint8Array(100)).map((byte) => 97 + (byte % 26));
  const options = { name: "a.txt", copy: true, idempotencyKey: crypto.randomUUID() };
  const first = await client.media.upload(SITE, bytes, {}, options);
  assert.deepEqual(await client.media.upload(SITE, bytes, {}, options), first);
  await client.media.delete(SITE, first.file.id);
});

test("a rendition has a signed address", async () => {
  const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGM4oSEHAALKAQ+5c71gAAAAAElFTkSuQmCC";
  const { file } = await client.media.upload(SITE, Buffer.from(dot, "base64"), {}, { name: "dot.png", copy: true });
  const seen = await client.media.rendition(SITE, file.id, { w: 333, format: "webp", q: 40 });
  const shown = await fetch(`${address}/media/sites/${SITE}/${seen.address.slice(2)}`);
  assert.deepEqual([shown.status, shown.headers.get("Content-Type")], [200, "image/webp"]);
  const same = client.media.rendition(SITE, file.id, { w: 333, format: "webp", q: 40 }, { ifNoneMatch: etagOf(seen) });
  await assert.rejects(same, cms.NotModified);
  await assert.rejects(client.media.rendition(SITE, file.id, { w: 0 }), (error) => error.code === "rendition_refused");
  await client.media.delete(SITE, file.id);
});

test("files and their uses come in pages", async () => {
  const tags = crypto.randomUUID();
  const files = [];
  for (let number = 0; number < 3; number += 1) {
    files.push((await client.media.upload(SITE, new Blob([tags, String(number)]), { tags }, { name: "a.txt" })).file);
  }
  const ids = files.map((file) => file.id).reverse();
  const page = await client.media.list(SITE, { text: tags, top: 2 });
  assert.deepEqual([page.records.map((file) => file.id), page.total], [ids.slice(0, 2), 3]);
  const found = [];
  for await (const file of client.media.list(SITE, { text: tags }, { perPage: 2 })) {
    found.push(file.id);
  }
  assert.deepEqual(found, ids);
  const content = await client.contents.create(SITE, NEWS, { title: "Hours", content: files[0].address, imageUrl: files[0].address });
  const first = await client.media.uses(SITE, files[0].id, { top: 1 });
  assert.deepEqual(first.records, [{ source: "content.body", id: content.id, channelId: NEWS }]);
  const second = await client.media.uses(SITE, files[0].id, { cursor: first.nextCursor });
  assert.deepEqual([second.records[0].source, second.nextCursor, second.isComplete], ["content.fields", null, true]);
  await client.contents.delete(SITE, NEWS, content.id);
  await Promise.all(files.map((file) => client.media.delete(SITE, file.id)));
});

test("a visitor sends a form, and a program answers", async () => {
  const stranger = new Client(address);
  assert.deepEqual((await stranger.forms.styles(SITE, "visit")).styles.map((field) => field.attributeName), ["name"]);
  const sent = await stranger.forms.submit(SITE, "visit", { name: "王小明" }, { channelId: NEWS });
  const { records, total } = await client.forms.entries(SITE, "visit", { guid: sent.id });
  assert.deepEqual([total, records[0].values, records[0].channelId], [1, { name: "王小明" }, NEWS]);
  await assert.rejects(stranger.forms.submit(SITE, "visit", { name: "" }), (error) => {
    return error instanceof cms.BadRequest && "name" in error.members.errors;
  });
  await assert.rejects(async () => await stranger.forms.entries(SITE, "visit"), cms.NotFound);
  const form = (await client.forms.list(SITE)).find((each) => each.name === "Visit");
  const ids = new Set();
  for await (const entry of client.forms.entries(SITE, form.id, {}, { perPage: 2 })) {
    ids.add(entry.id);
  }
  assert.equal(ids.size, 6);
  const [{ id }] = records;
  assert.equal((await client.forms.update(SITE, id, { replyContent: "See you" })).state, "read");
  const seen = etagOf(await client.forms.get(SITE, id));
  assert.equal((await client.forms.delete(SITE, id, { ifMatch: seen })).isReplied, true);
});
