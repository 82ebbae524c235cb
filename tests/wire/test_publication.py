"""A draft that is due tomorrow morning, on two nodes of which one is killed a moment before."""

import json
import os
import signal
import threading
from datetime import UTC, datetime, timedelta

import pytest

from tests.webhooks.receivers import receiving
from tools.servers import Installation

pytestmark = [pytest.mark.large, pytest.mark.any_database]
SITE, NEWS = 1, 11
LATEST = 60  # seconds for what happens within one or two


@pytest.fixture
def installation(tmp_path):
    return Installation(tmp_path, sample_site=True)


def kill_all_of(server):
    for pid in (*server.workers, server.pid):
        os.kill(pid, signal.SIGKILL)


def test_page_interface_webhook_and_feed_have_it_at_its_time(installation):
    key = installation.manage("create_api_key", "publication", "--all-scopes")
    settings = {"CMS_WEBHOOK_NETWORKS": "127.0.0.0/8"}
    with (
        receiving() as receiver,
        installation.serve(CMS_NODE_NAME="first", **settings) as first,
        installation.serve(CMS_NODE_NAME="second", **settings) as second,
        second.client(key) as client,
    ):
        told = threading.Event()

        def respond(handler, body):
            handler.send_response(204)
            handler.end_headers()
            if b'"content.changed"' in body:
                told.set()

        receiver.respond = respond
        headers = {"X-SS-API-KEY": key, "Content-Type": "application/json"}

        def call(method, path, body=None):
            answer = second.request(method, path, body and json.dumps(body).encode(), headers)
            assert answer.status_code == 200, answer.content
            return answer.json()

        call("POST", "/api/v1/webhooks", {"name": "Index", "url": receiver.url, "siteId": SITE})
        content = client.contents.list(site_id=SITE, channel_id=NEWS, per_page=1).records[0]
        place = f"/api/v1/contents/{SITE}/{NEWS}/{content['id']}"
        page = content["navigationUrl"]
        cursor = call("GET", f"/api/v1/changes?siteId={SITE}")["nextCursor"]
        due = datetime.now(UTC).replace(microsecond=0, tzinfo=None) + timedelta(seconds=4)
        draft = {"isDraft": True, "title": "Open again at eight", "publishAt": f"{due:%Y-%m-%d %H:%M:%S}"}
        assert call("PUT", place, draft)["value"]["title"] == "Open again at eight"
        assert b"Open again at eight" not in second.request("GET", page).content
        assert call("GET", place)["value"]["title"] == content["title"]
        kill_all_of(first)

        assert told.wait(LATEST), receiver.names()
        change = call("GET", f"/api/v1/changes?siteId={SITE}&after={cursor}&wait=30")["changes"][-1]
        assert (change["contentId"], "title" in change["fields"]) == (content["id"], True)
        assert call("GET", place)["value"]["title"] == "Open again at eight"
        assert b"Open again at eight" in second.request("GET", page).content
        at = datetime.fromisoformat(change["at"])
        assert timedelta(0) <= at - due
        assert receiver.names().count("content.changed") == 1
