"""Reports of errors: they arrive where CMS_SENTRY_DSN says, and hold nothing that a client has kept secret."""

import gzip
import json
import sqlite3
import threading
from contextlib import closing
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from queue import Queue

import pytest

from core.operation.logs.sentry import clean_breadcrumb, clean_event
from tools.servers import Installation

CANARY = "lighthouse7"


@pytest.fixture
def receiver():
    """A server that takes reports: its address, and a queue of their bodies."""
    bodies = Queue()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            bodies.put(gzip.decompress(body) if self.headers.get("Content-Encoding") == "gzip" else body)
            self.send_response(200)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, *arguments):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://public@127.0.0.1:{server.server_port}/1", bodies
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def broken(installation, tmp_path):
    """An installation in which every look-up of contents and users fails."""
    found = Installation(tmp_path, administrator=False)
    kept = Path(installation.environment["CMS_DATA_DIR"]) / "db.sqlite3"
    with closing(sqlite3.connect(kept)) as source, closing(sqlite3.connect(tmp_path / "db.sqlite3")) as copy:
        source.backup(copy)
        copy.execute("PRAGMA legacy_alter_table = ON")  # so that the triggers, without which no change is taken, stay
        for table in ("contents_content", "accounts_user"):
            copy.execute(f"ALTER TABLE {table} RENAME TO kept_{table}")
            copy.execute(
                f"CREATE VIEW {table} AS SELECT kept.* FROM (SELECT abs(-9223372036854775807 - 1) AS overflow) "
                f"LEFT JOIN kept_{table} kept ON TRUE WHERE overflow"
            )
        copy.commit()
    return found


def event_of(body):
    """The event in an envelope: its last line."""
    return json.loads(body.strip().splitlines()[-1])


@pytest.mark.large
def test_an_error_is_reported_with_its_request_and_without_a_secret(broken, receiver):
    token = broken.manage("create_api_key", "reported errors", "--scope", "Contents")
    address, bodies = receiver
    headers = {
        "Cookie": f"cms_session={CANARY}",
        "X-SS-USER-TOKEN": CANARY,
        "Authorization": f"Bearer {CANARY}",
        "Referer": f"http://localhost/?password={CANARY}",
    }
    with broken.serve(CMS_SENTRY_DSN=address, CMS_NODE_NAME="quay") as server:
        answer = server.request("GET", f"/api/v1/contents/1/1/1?apiKey={token}&password={CANARY}", headers=headers)
        assert answer.status_code == 500, answer.content
        first = bodies.get(timeout=60)
        body = json.dumps({"account": "someone", "password": CANARY}).encode()
        assert server.request("POST", "/api/v1/users/actions/login", body, headers).status_code == 500
        second = bodies.get(timeout=60)
    for report in (first, second):
        text = report.decode()
        assert CANARY not in text
        assert token not in text and token[-38:] not in text
        assert "password=" not in text
    event = event_of(first)
    assert event["level"] == "error"
    assert event["server_name"] == "quay"
    assert event["exception"]["values"][-1]["type"] == "OperationalError"
    assert event["transaction"] == "GET /api/v1/contents/{siteId}/{channelId}/{contentId}"
    assert event["tags"]["request"] == answer.headers["X-Request-Id"]
    assert event["tags"]["key"] == token[5:13]
    assert {"request", "user"}.isdisjoint(event)
    assert '"vars"' not in first.decode()
    assert event_of(second)["transaction"] == "POST /api/v1/users/actions/login"


def test_events_and_breadcrumbs_are_cleaned_to_their_depth():
    event = {
        "request": {"url": CANARY, "headers": {"Cookie": CANARY}},
        "user": {"id": CANARY},
        "extra": {"anything": CANARY},
        "logentry": {"message": f"GET /?apiKey={CANARY}", "params": [f"X-SS-API-KEY: {CANARY}"]},
        "contexts": {"one": {"password": CANARY, "list": [{"token": CANARY}]}},
    }
    assert CANARY not in json.dumps(clean_event(event, {}))
    crumb = {"type": "log", "message": f"Authorization: Bearer {CANARY}", "data": {"request": CANARY}}
    assert CANARY not in json.dumps(clean_breadcrumb(crumb, {}))
