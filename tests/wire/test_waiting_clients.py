"""Long polls of a real server: clients who wait occupy no thread, and get the news."""

import json
import select
import socket
from contextlib import ExitStack, contextmanager

import pytest

from server.serving.waiting import MAX_WAITING
from tools.programs import SECONDS

pytestmark = pytest.mark.large


@pytest.fixture(scope="module")
def key(installation):
    return installation.manage("create_api_key", "followers", "--all-scopes")


@pytest.fixture(scope="module")
def site_id(installation):
    return int(installation.create_site("Followed"))


class Caller:
    """Calls the API of a server with a key."""

    def __init__(self, server, key):
        self.server, self.key = server, key

    def __call__(self, method, path, body=None):
        headers = {"X-SS-API-KEY": self.key, "Content-Type": "application/json"}
        answer = self.server.request(method, f"/api/v1{path}", body and json.dumps(body).encode(), headers)
        return answer.status_code, answer.json()

    def cursor(self):
        """Return the cursor after every event so far; a long write may delay the numbers of earlier ones."""
        cursor = self("GET", "/changes")[1]["nextCursor"]
        while (page := self("GET", f"/changes?after={cursor}")[1])["changes"]:
            cursor = page["nextCursor"]
        return cursor

    def create(self, site_id, title="Tide"):
        status, body = self("POST", f"/contents/{site_id}/{site_id}", {"title": title})
        assert status == 200, body
        return body["value"]["id"]

    @contextmanager
    def wait(self, cursor, *, seconds=30, headers=""):
        """Send a long poll; `read_answer` reads what comes."""
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=SECONDS) as sock:
            path = f"/api/v1/changes?after={cursor}&wait={seconds}"
            head = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-SS-API-KEY: {self.key}\r\n{headers}\r\n"
            sock.sendall(head.encode())
            yield sock


def read_answer(sock):
    received = b""
    while b"\r\n\r\n" not in received:
        received += (part := sock.recv(65536))
        assert part, received
    head, _, body = received.partition(b"\r\n\r\n")
    length = next(int(line[15:]) for line in head.decode().split("\r\n") if line.lower().startswith("content-length:"))
    while len(body) < length:
        body += (part := sock.recv(65536))
        assert part
    return int(head.split()[1]), json.loads(body)


def test_a_hundred_waiting_clients_leave_the_threads_to_others_and_get_the_change(installation, key, site_id):
    with installation.serve(CMS_WORKERS="2", CMS_THREADS="4", CMS_KEY_REQUESTS_PER_MINUTE="0") as server:
        ask = Caller(server, key)
        cursor = ask.cursor()
        with ExitStack() as stack:
            clients = [stack.enter_context(ask.wait(cursor)) for _ in range(100)]
            for _ in range(40):
                assert ask("GET", f"/channels/{site_id}")[0] == 200
            number = ask.create(site_id)
            for client in clients:
                status, body = read_answer(client)
                assert status == 200, body
                assert [change["contentId"] for change in body["changes"]] == [number]
        assert ask("GET", f"/changes?after={cursor}")[1]["changes"][0]["contentId"] == number


def test_a_wait_without_news_ends_with_an_empty_page(installation, key):
    with installation.serve(CMS_WORKERS="1") as server:
        ask = Caller(server, key)
        cursor = ask.cursor()
        # A closed connection after the response is as good as a kept one.
        for headers in ("", "Connection: close\r\n"):
            with ask.wait(cursor, seconds=1, headers=headers) as client:
                assert read_answer(client) == (200, {"changes": [], "nextCursor": cursor, "hasMore": False})


def test_the_connection_takes_a_next_request_after_a_wait(installation, key, site_id):
    with installation.serve(CMS_WORKERS="1") as server:
        ask = Caller(server, key)
        with ask.wait(ask.cursor()) as client:
            number = ask.create(site_id)
            _, body = read_answer(client)
            assert body["changes"][0]["contentId"] == number
            client.sendall(b"GET /api/v1/ping HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            assert client.recv(65536).startswith(b"HTTP/1.1 200 ")


def test_a_key_that_ends_while_it_waits_gets_no_change(installation, site_id, key):
    name = "ends soon"
    ending = installation.manage("create_api_key", name, "--all-scopes")
    with installation.serve(CMS_WORKERS="1") as server:
        ask = Caller(server, ending)
        with ask.wait(ask.cursor()) as client:
            revoke = f"from apikeys.models import ApiKey; ApiKey.objects.get(name={name!r}).revoke()"
            installation.manage("shell", "--no-imports", "-c", revoke)
            Caller(server, key).create(site_id)
            status, body = read_answer(client)
            assert (status, body.get("code")) == (401, "key_revoked"), body


def test_waiting_counts_as_one_request(installation, site_id, key):
    counted = installation.manage("create_api_key", "counted", "--all-scopes", "--requests-per-minute", "1")
    with installation.serve(CMS_WORKERS="1") as server:
        other = Caller(server, key)
        with Caller(server, counted).wait(other.cursor()) as client:
            other.create(site_id)
            assert read_answer(client)[0] == 200


def test_a_restart_answers_waiting_clients_at_once(installation, key, site_id):
    with installation.serve(CMS_WORKERS="1") as server:
        ask = Caller(server, key)
        cursor = ask.cursor()
        with ExitStack() as stack:
            clients = [stack.enter_context(ask.wait(cursor)) for _ in range(10)]
            for _ in range(10):
                assert ask("GET", f"/channels/{site_id}")[0] == 200
            server.stop()
            for client in clients:
                assert read_answer(client) == (200, {"changes": [], "nextCursor": cursor, "hasMore": False})


def test_clients_who_leave_make_room(installation, key, site_id):
    with installation.serve(CMS_WORKERS="1", CMS_THREADS="2") as server:
        ask = Caller(server, key)
        cursor = ask.cursor()
        for _ in range(5):
            with ExitStack() as stack:
                for _ in range(60):
                    stack.enter_context(ask.wait(cursor))
                assert ask("GET", f"/channels/{site_id}")[0] == 200
        with ask.wait(cursor) as client:
            number = ask.create(site_id)
            assert read_answer(client)[1]["changes"][0]["contentId"] == number


def test_a_client_too_many_is_answered_at_once_and_the_others_wait_on(installation, key, site_id):
    # One thread, so that no two are let in by the same count.
    with installation.serve(CMS_WORKERS="1", CMS_THREADS="1", CMS_KEY_REQUESTS_PER_MINUTE="0") as server:
        ask = Caller(server, key)
        cursor = ask.cursor()
        with ExitStack() as stack:
            clients = []
            while len(clients) <= MAX_WAITING:
                clients.append(stack.enter_context(ask.wait(cursor)))
                if len(clients) % 10 == 0:  # the queue is short
                    assert ask("GET", f"/channels/{site_id}")[0] == 200
            (refused,), _, _ = select.select(clients, [], [], SECONDS)
            assert read_answer(refused) == (200, {"changes": [], "nextCursor": cursor, "hasMore": False})
            assert ask("GET", f"/channels/{site_id}")[0] == 200
            number = ask.create(site_id)
            for client in clients:
                if client is not refused:  # had it waited for its time, theirs would be over, too
                    assert [change["contentId"] for change in read_answer(client)[1]["changes"]] == [number]
