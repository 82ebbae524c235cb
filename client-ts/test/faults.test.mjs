// What is sent again and what never is, through a server that fails as the test wants it, before the real one.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { afterEach, beforeEach, test } from "node:test";
import * as cms from "cms-api-client";

const { CMS_ADDRESS: address, CMS_KEY: apiKey } = process.env;
const [SITE, NEWS] = [1, 11];
const JSON_TYPE = { "Content-Type": "application/json" };

const drop = (_, response) => response.destroy();
const lose = async (request, response) => {
  await forward(request);
  response.destroy();
};
const cut = (_, response) => {
  response.writeHead(200, { ...JSON_TYPE, "Content-Length": 100 });
  response.write('{"val', () => response.destroy());
};
const truncated = (_, response) => response.writeHead(200, JSON_TYPE).end('{"value": [');
const silent = () => {};
const answer =
  (status, headers = {}, body = {}) =>
  (_, response) =>
    response.writeHead(status, { ...JSON_TYPE, ...headers }).end(JSON.stringify(body));
const busy = answer(503, { "Retry-After": "2" }, { message: "Busy.", code: "database_busy" });
const doubt = answer(503, {}, { message: "Look.", code: "outcome_unknown" });

async function forward({ method, url, headers, body }) {
  const { host, connection, "content-length": _, ...others } = headers;
  const sent = body.length ? body : undefined;
  return fetch(address + url, { method, headers: others, body: sent });
}

async function pass(request, response) {
  const answered = await forward(request);
  const headers = Object.fromEntries([...answered.headers].filter(([name]) => !/^(content-(len|enc)|transfer)/.test(name)));
  response.writeHead(answered.status, headers).end(Buffer.from(await answered.arrayBuffer()));
}

let server, acts, requests, waits, client;

beforeEach(async () => {
  [acts, requests, waits] = [[], [], []];
  server = createServer(async (request, response) => {
    const chunks = await request.toArray();
    const { method, url, headers } = request;
    const asked = { method, url, headers, body: Buffer.concat(chunks) };
    requests.push(asked);
    await (acts.shift() ?? pass)(asked, response);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  client = clientOf();
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

function clientOf(options = {}) {
  const sleep = async (milliseconds) => void waits.push(Math.round(milliseconds));
  const retries = { sleep, ...options.retries };
  return new cms.Client(`http://127.0.0.1:${server.address().port}`, { apiKey, ...options, retries });
}

const asked = () => requests.map(({ method, url }) => `${method} ${url}`);
const create = (options) => client.contents.create(SITE, NEWS, { title: "Sent once" }, options);
const titled = async () =>
  (await client.contents.list({ siteId: SITE, wheres: [cms.where("title", "=", "Sent once")], perPage: 1 })).total;

const READS = {
  "a record": () => client.contents.get(SITE, NEWS, 30),
  "a list by POST": () => client.contents.list({ siteId: SITE }),
};
for (const [fault, act] of Object.entries({ drop, cut, busy, 502: answer(502), 503: answer(503), 504: answer(504) })) {
  for (const [name, ask] of Object.entries(READS)) {
    test(`${name} is asked for again after ${fault}`, async () => {
      acts = [act, act];
      assert.ok(await ask());
      assert.equal(requests.length, 3);
      assert.deepEqual(requests[0].body, requests[2].body);
    });
  }
}

test("waits grow and end", async () => {
  acts = Array(9).fill(drop);
  await assert.rejects(client.ping(), cms.ConnectionFailed);
  assert.equal(requests.length, 5);
  for (const [place, least] of [500, 1000, 2000, 4000].entries()) {
    assert.ok(least <= waits[place] && waits[place] <= least * 1.25, `${waits}`);
  }
});

test("the server says how long to wait, and a long wait is an error at once", async () => {
  acts = [answer(429, { "Retry-After": "7" })];
  await client.ping();
  assert.deepEqual(waits, [7000]);
  acts = [answer(429, { "Retry-After": "3600" })];
  await assert.rejects(client.ping(), (error) => error instanceof cms.TooManyRequests && error.retryAfter === 3600);
  assert.equal(waits.length, 1);
});

test("a creation is sent again with the same key, and stored once", async () => {
  for (const fault of [drop, lose, cut, doubt, answer(502)]) {
    const before = await titled();
    requests = [];
    acts = [fault];
    const made = await create();
    assert.equal((await client.contents.get(SITE, NEWS, made.id)).title, "Sent once");
    assert.equal(await titled(), before + 1);
    const [first, second] = requests.filter(({ method, url }) => method === "POST" && url.endsWith("/1/11"));
    assert.equal(first.headers["idempotency-key"], second.headers["idempotency-key"]);
  }
  assert.ok(asked().filter((each) => each.includes("openapi.json")).length <= 1);
});

test("a creation is not sent again where the server keeps no keys", async () => {
  for (const description of [answer(404), answer(200, {}, { openapi: "3.1.0" }), answer(401)]) {
    client = clientOf();
    requests = [];
    acts = [lose, description];
    await assert.rejects(create(), (error) => error instanceof cms.ConnectionFailed && error.wasSent);
    acts = [lose];
    await assert.rejects(create(), cms.ConnectionFailed);
    assert.deepEqual(asked(), ["POST /api/v1/contents/1/11", "GET /api/v1/openapi.json", "POST /api/v1/contents/1/11"]);
  }
});

test("a change of the same is sent again, unless it may be stored", async () => {
  acts = [lose, answer(502)];
  assert.equal((await client.contents.update(SITE, NEWS, 30, { hits: 9 })).hits, 9);
  requests = [];
  acts = [doubt];
  await assert.rejects(client.contents.update(SITE, NEWS, 30, { hits: 9 }), cms.OutcomeUnknown);
  assert.equal(requests.length, 1);
});

const UNSAFE = {
  delete: () => client.contents.delete(SITE, NEWS, 999999),
  "change with If-Match": () => client.contents.update(SITE, NEWS, 30, { hits: 9 }, { ifMatch: "*" }),
  login: () => client.users.logIn("tsreader9", "lantern7"),
  health: () => client.health(),
};
for (const [name, act] of Object.entries(UNSAFE)) {
  test(`a ${name} is not sent again, unless it was certainly not carried out`, async () => {
    for (const fault of [drop, cut, answer(502), answer(503)]) {
      requests = [];
      acts = [fault];
      await assert.rejects(act(), (error) => error instanceof cms.ConnectionFailed || error instanceof cms.Unavailable);
      assert.equal(requests.length, 1);
    }
    requests = [];
    acts = [busy];
    await act().catch((error) => assert.ok(error instanceof cms.AnswerError && error.status < 500));
    assert.equal(requests.length, 2);
  });
}

test("other refusals are not asked twice", async () => {
  for (const [status, kind] of [[400, cms.BadRequest], [404, cms.NotFound], [408, cms.AnswerError], [500, cms.ServerError]]) {
    requests = [];
    acts = [answer(status)];
    await assert.rejects(client.contents.list({ siteId: SITE }), kind);
    assert.equal(requests.length, 1);
  }
});

test("what is no JSON, and a redirect, are unexpected answers, and the key goes nowhere else", async () => {
  acts = [truncated];
  await assert.rejects(client.stl.sites(), cms.UnexpectedAnswer);
  acts = [(_, response) => response.writeHead(200, { "Content-Type": "text/html" }).end("<p>Hello")];
  await assert.rejects(client.stl.sites(), cms.UnexpectedAnswer);
  requests = [];
  acts = [answer(302, { Location: "/elsewhere" })];
  await assert.rejects(client.stl.sites(), cms.UnexpectedAnswer);
  assert.equal(requests.length, 1);
});

test("a refused connection has sent nothing, so that even a delete is tried again", async () => {
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  const lonely = new cms.Client(`http://127.0.0.1:${port}`, { retries: { times: 2, sleep: async () => waits.push(0) } });
  await assert.rejects(lonely.contents.delete(SITE, NEWS, 30), (error) => error.wasSent === false);
  assert.equal(waits.length, 2);
});

test("headers that do not come end with the timeout, and are asked for again", async () => {
  acts = [silent, silent];
  const hurried = clientOf({ timeout: 100, retries: { times: 1 } });
  await assert.rejects(hurried.ping(), cms.TimedOut);
  assert.equal(requests.length, 2);
});

test("the signal of the caller ends a request and a wait, with its own reason", async () => {
  acts = [silent];
  const stopped = client.contents.get(SITE, NEWS, 30, { signal: AbortSignal.timeout(50) });
  await assert.rejects(stopped, { name: "TimeoutError" });
  assert.equal(requests.length, 1);
  acts = [answer(429, { "Retry-After": "20" })];
  const control = new AbortController();
  const waiting = clientOf({ retries: { sleep: undefined } }).ping({ signal: control.signal });
  setImmediate(() => control.abort(new Error("enough")));
  await assert.rejects(waiting, { message: "enough" });
});
