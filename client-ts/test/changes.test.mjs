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
  "": { changes: [{ id: 1 }, { id: 2 }], nextCursor: "c2", hasMore: true },
  c2: { changes: [{ id: 3 }], nextCursor: "c3", hasMore: false },
};

test("changes come one after another, until the signal is aborted", async (context) => {
  const { server, asked, client } = await serve(context, PAGES);
  const control = new AbortController();
  server.on("asked", () => asked.length === 3 && control.abort());
  const feed = client.changes({ siteId: 1, limit: 2, signal: control.signal });
  const ids = [];
  await assert.rejects(
    async () => {
      for await (const change of feed) {
        ids.push(change.id);
      }
    },
    { name: "AbortError" },
  );
  assert.deepEqual(ids, [1, 2, 3]);
  assert.equal(feed.cursor, "c3");
  const common = { siteId: "1", limit: "2", wait: "30" };
  assert.deepEqual(asked, [common, { ...common, after: "c2" }, { ...common, after: "c3" }]);
});

test("a loop that stops in the middle of a response has not passed it", async (context) => {
  const { client } = await serve(context, PAGES);
  const feed = client.changes({ siteId: 1 });
  for await (const change of feed) {
    assert.equal(change.id, 1);
    break;
  }
  assert.equal(feed.cursor, undefined);
});

test("without waiting, the loop ends after the last change", async (context) => {
  const { client } = await serve(context, PAGES);
  const ids = [];
  for await (const change of client.changes({ siteId: 1, after: "c2", wait: 0 })) {
    ids.push(change.id);
  }
  assert.deepEqual(ids, [3]);
});
