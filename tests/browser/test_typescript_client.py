"""The TypeScript client in a page of another origin: the built modules, without a bundler."""

import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.typescript_client import built_client

PAGE = """<!DOCTYPE html><html lang="en"><title>App</title>
<link rel="icon" href="data:,">
<script type="importmap">{"imports": {
  "cms-api-client": "/dist/index.js",
  "openapi-fetch": "/node_modules/openapi-fetch/dist/index.mjs",
  "@noble/hashes/": "/node_modules/@noble/hashes/"
}}</script></html>"""
PROGRAM = """
async ([address, apiKey]) => {
  const { Client, etagOf, NotFound } = await import("cms-api-client");
  const client = new Client(address, { apiKey });
  const titles = [];
  for await (const content of client.contents.list({ siteId: 1, channelId: 11, perPage: 5, fields: ["title"] })) {
    titles.push(content.title);
  }
  const made = await client.contents.create(1, 11, { title: "From a page" });
  const seen = await client.contents.get(1, 11, made.id);
  await client.contents.delete(1, 11, made.id, { ifMatch: etagOf(seen) });
  const missing = await client.contents.get(1, 11, made.id).catch((error) => error);
  const user = await client.users.create({ userName: "page1", password: "lantern-27" });
  const canvas = new OffscreenCanvas(8, 8);
  canvas.getContext("2d");
  const pictured = await client.users.uploadAvatar(user.id, await canvas.convertToBlob());
  await client.users.resetPassword("page1", "lantern-27", "lantern-28");
  await client.users.delete(user.id);
  return {
    titles: titles.length,
    isMissing: missing instanceof NotFound && missing.code === "content_not_found" && Boolean(missing.requestId),
    avatar: pictured.avatarUrl,
  };
}
"""


class Pages(SimpleHTTPRequestHandler):
    """Serves the files of the client's folder, and the page."""

    def do_GET(self):
        if self.path != "/":
            super().do_GET()
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(PAGE.encode())

    def log_message(self, *_):
        pass


@pytest.fixture
def page(chromium):
    """A page of another origin; a real one, since Chromium lets only local pages ask local servers."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Pages, directory=built_client())) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        context = chromium.new_context()
        opened = context.new_page()
        opened.goto(f"http://127.0.0.1:{server.server_port}/")
        yield opened
        context.close()
        server.shutdown()


def test_a_page_of_another_origin_reads_and_writes(page, desk):
    key = desk.installation.manage("create_api_key", "page", "--all-scopes")
    done = page.evaluate(PROGRAM, [desk.address, key])
    assert done["titles"] > 5
    assert done["isMissing"]
    assert done["avatar"]
