// The change feed.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { test } from "node:test";
import { Client } from "cms-api-client";

/** Serve these pages by cursor; a request after the last one waits until it is closed. */
async function serve(context, pages) {
  const asked = [];
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url, "http://host");
    asked.push(Object.fromEntries(searchParams));
    const page = pages[searchParams.get("after") ?? ""];
    if (page) {
      response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(page));
    }
    server.emit("asked");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { server, asked, client: new Client(`http://127.0.0.1:${server.address().port}`) };
}

const PAGES = {
  start: { changes: [{ id: 1 }, { id: 2 }], nextCursor: "7", hasMore: true },
  7: { changes: [], nextCursor: "8", hasMore: true },
  8: { changes: [{ id: 9 }], nextCursor: "9", hasMore: false },
  "": { changes: [], nextCursor: "9", hasMore: false },
};

/** Return the ids of the changes, up to the last one that the loop takes. */
async function idsOf(feed, last = Infinity) {
  const ids = [];
  for await (const change of feed) {
    ids.push(change.id);
    if (change.id === last) {
      break;
    }
  }
  return ids;
}

test("changes come one after another, until the signal is aborted", async (context) => {
  const { server, asked, client } = await serve(context, PAGES);
  const control = new AbortController();
  server.on("asked", () => asked.length === 4 && control.abort());
  const feed = client.changes({ siteId: 1, limit: 2, after: "start", signal: control.signal });
  const ids = [];
  await assert.rejects(
    async () => {
      for await (const change of feed) {
        ids.push(change.id);
      }
    },
    { name: "AbortError" },
  );
  assert.deepEqual(ids, [1, 2, 9]);
  assert.equal(feed.cursor, "9");
  const common = { siteId: "1", limit: "2", wait: "30" };
  assert.deepEqual(asked, ["start", "7", "8", "9"].map((after) => ({ ...common, after })));
});

test("a loop that stops in the middle has not passed the change that it has", async (context) => {
  const { client } = await serve(context, PAGES);
  const feed = client.changes({ after: "start" });
  assert.deepEqual(await idsOf(feed, 2), [1, 2]);
  assert.equal(feed.cursor, "1");
});

test("after an error, another loop goes on from the cursor", async (context) => {
  const { client } = await serve(context, { ...PAGES, 8: undefined, 7: { message: "Broken.", nextCursor: 1 } });
  const feed = client.changes({ after: "start" });
  await assert.rejects(idsOf(feed));
  assert.equal(feed.cursor, "7");
});

test("without waiting, the loop ends after the last change, and begins now unless told otherwise", async (context) => {
  const { client } = await serve(context, PAGES);
  assert.deepEqual(await idsOf(client.changes({ after: 8, wait: 0 })), [9]);
  const feed = client.changes({ wait: 0 });
  assert.deepEqual(await idsOf(feed), []);
  assert.equal(feed.cursor, "9");
});
