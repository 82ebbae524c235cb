"""What clients and administrators are told while the database is away, busy or full, and that it passes by itself.

The servers are real: PostgreSQL's is stopped, killed and started again below a running gunicorn.
"""

import hashlib
import json
import signal
import socket
import sqlite3
import threading
from contextlib import closing, contextmanager, suppress
from http.client import HTTPConnection, IncompleteRead

import psycopg
import pytest
from django.db import OperationalError, connection
from django.test import Client
from django.urls import path

from cms_api import urls
from core.lib import database_faults
from core.lib.database_faults import Fault, fault_of
from tests.assertions import assert_error
from tests.cluster.servers import PostgreSQL, find_programs
from tools.servers import Installation

pytestmark = pytest.mark.large

USERS = 20_000  # more than the buffers of a connection hold
OWN_SERVERS = True  # whatever database the suite runs on
needs_postgresql = pytest.mark.skipif(find_programs() is None, reason="PostgreSQL's programs are not here")


# ---- PostgreSQL, away


@pytest.fixture(scope="module")
def postgresql():
    """A server with an account that owns its database and is no superuser."""
    server = PostgreSQL()
    try:
        server.start().execute("CREATE ROLE cms LOGIN")
        server.execute("CREATE DATABASE cms OWNER cms")
        yield server
    finally:
        server.close()


class Service:
    """An installation on the server, with a key and a content."""

    def __init__(self, folder, postgresql):
        self.postgresql = postgresql
        self.installation = Installation(folder, administrator=False)
        self.installation.environment["CMS_DATABASE_URL"] = self.url()
        manage = self.installation.manage
        manage("migrate", "--verbosity", "0")
        manage("createsuperuser", "--noinput", "--user_name", "root")
        self.key = manage("create_api_key", "faults", "--all-scopes")
        manage("create_site", "Harbour", "--root")
        self.site = 1
        with self.serve() as server:
            made = self.ask(server, "POST", f"contents/{self.site}/{self.site}", {"title": "Before"})
            assert made.status_code == 200, made.content
            self.content = f"contents/{self.site}/{self.site}/{made.json()['value']['id']}"

    def url(self, query=""):
        return f"postgres://cms@127.0.0.1:{self.postgresql.port}/cms{query}"

    @contextmanager
    def serve(self, **settings):
        with self.installation.serve(CMS_WORKERS="1", **settings) as server:
            yield server

    def ask(self, server, method, path, body=None):
        sent = None if body is None else json.dumps(body).encode()
        return server.request(method, f"/api/v1/{path}", sent, {"X-SS-API-KEY": self.key})

    @property
    def title(self):
        return self.execute("SELECT title FROM contents_content")[0][0]

    def execute(self, statement, *values):
        return self.postgresql.execute(statement, *values, database="cms")

    def reset(self, title="Before"):
        self.execute("UPDATE contents_content SET title = %s", title)


@pytest.fixture(scope="module")
def service(postgresql, tmp_path_factory):
    return Service(tmp_path_factory.mktemp("faults"), postgresql)


@pytest.fixture(params=[0, 3], ids=["kept connections", "a pool"])
def running(request, service):
    """A server of the service; a pool has fewer connections than there are threads."""
    service.reset()
    with service.serve(CMS_DATABASE_POOL_SIZE=str(request.param)) as server:
        yield server


def in_threads(number, act):
    """What the act answers in so many threads at once."""
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(act())) for _ in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


def assert_without_database(answer, code="database_unavailable"):
    assert_error(answer, 503, code)
    assert int(answer.headers["Retry-After"]) > 0


@needs_postgresql
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGQUIT, signal.SIGKILL], ids=["fast", "immediate", "killed"])
def test_a_database_that_goes_and_comes_back_is_503_meanwhile(running, service, how):
    def ask(method="GET", path=service.content, body=None):
        return service.ask(running, method, path, body)

    assert {answer.status_code for answer in in_threads(8, ask)} == {200}  # threads have connections
    service.postgresql.stop(how)
    try:
        requests = [
            ("GET", service.content),
            ("POST", "contents", {"siteId": service.site}),
            ("PUT", service.content, {"title": "Meanwhile"}),
            ("GET", f"channels/{service.site}"),
            ("GET", "stl/sites"),
            ("GET", "users"),
            ("POST", "users/actions/login", {"account": "nobody", "password": "nothing"}),
            ("POST", "actions/restart"),
        ]
        for _ in range(2):
            for request in requests:
                assert_without_database(ask(*request))
        for answer in in_threads(8, ask):
            assert_without_database(answer)
        assert running.request("GET", "/api/v1/ping").status_code == 200
        running.await_lines("database_unavailable: ", 2 * len(requests) + 8)
        told = running.log.count("database_unavailable: ")
    finally:
        service.postgresql.start()
    assert {ask().status_code for _ in range(8)} == {200}
    assert {answer.status_code for answer in in_threads(8, ask)} == {200}
    assert ask("PUT", service.content, {"title": "Afterwards"}).status_code == 200
    assert told == 2 * len(requests) + 8
    assert "Traceback" not in running.log
    assert service.title == "Afterwards"


@needs_postgresql
def test_a_page_says_so_in_its_language(service):
    with service.serve() as server:
        cookie = {"Cookie": "cms_session=abcdefghijklmnopqrstuvwxyz123456"}
        service.postgresql.stop()
        try:
            english = server.request("GET", "/admin/", headers=cookie)
            chinese = server.request("GET", "/admin/", headers=cookie | {"Accept-Language": "zh-CN"})
        finally:
            service.postgresql.start()
        assert server.request("GET", "/admin/", headers=cookie).status_code == 302
    assert [english.status_code, chinese.status_code] == [503, 503]
    assert "<h1>The database cannot do this right now</h1>" in english.content.decode()
    assert '<html lang="zh-hans"' in chinese.content.decode()
    assert english.headers["Retry-After"] == "5"
    assert "default-src 'none'" in english.headers["Content-Security-Policy"]
    assert "Traceback" not in server.log


@contextmanager
def locked_content(service):
    """Nobody else changes a content in the block."""
    with psycopg.connect(service.postgresql.url("cms")) as other:
        other.execute("SELECT 1 FROM contents_content FOR UPDATE")
        yield
        other.rollback()


def await_waiting(service, event):
    """Return when a connection of the service that has to do with contents waits for this."""
    count = (
        "SELECT count(*) FROM pg_stat_activity JOIN pg_locks USING (pid) WHERE usename = 'cms'"
        " AND wait_event = ANY(%s) AND relation = 'contents_content'::regclass"
    )
    with psycopg.connect(service.postgresql.url("cms"), autocommit=True) as other:
        while other.execute(count, [event]).fetchone()[0] == 0:
            pass


@needs_postgresql
def test_a_change_that_was_under_way_leaves_nothing(running, service):
    answers = []
    change = threading.Thread(
        target=lambda: answers.append(service.ask(running, "PUT", service.content, {"title": "Under way"}))
    )
    with suppress(psycopg.OperationalError), psycopg.connect(service.postgresql.url("cms")) as other:
        other.execute("SELECT 1 FROM contents_content FOR UPDATE")
        change.start()
        await_waiting(service, ["transactionid", "tuple"])
        service.postgresql.stop(signal.SIGQUIT)
    change.join()
    service.postgresql.start()
    assert_without_database(answers[0])
    assert answers[0].json()["message"].endswith("Nothing was stored; try again in a moment.")
    assert service.title == "Before"
    assert service.ask(running, "GET", service.content).status_code == 200


@needs_postgresql
def test_a_change_lost_in_its_commit_is_not_said_to_be_undone(running, service):
    def wait_for(standby):
        service.postgresql.execute(f"ALTER SYSTEM SET synchronous_standby_names = '{standby}'")
        service.postgresql.execute("SELECT pg_reload_conf()")

    answers = []
    change = threading.Thread(
        target=lambda: answers.append(service.ask(running, "PUT", service.content, {"title": "In its commit"}))
    )
    assert service.ask(running, "GET", service.content).status_code == 200
    wait_for("nobody")
    try:
        change.start()
        await_waiting(service, ["SyncRep"])
    finally:
        service.postgresql.stop(signal.SIGQUIT)
        service.postgresql.start()
        wait_for("")
    change.join()
    assert_error(answers[0], 503, "outcome_unknown")
    assert "Nothing was stored" not in answers[0].json()["message"]
    assert "Retry-After" not in answers[0].headers  # or a program would store it twice
    assert service.title == "In its commit"  # so it would have been wrong to say so


@needs_postgresql
def test_writes_to_a_server_that_is_read_only_are_503_and_reads_go_on(running, service):
    switch = "ALTER ROLE cms SET default_transaction_read_only = "
    end = "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE usename = 'cms'"
    login = {"account": "root", "password": hashlib.md5(b"harbour-21").hexdigest()}
    service.execute(switch + "on")
    service.execute(end)
    try:
        for method, path, body in (
            ("POST", f"contents/{service.site}/{service.site}", {"title": "Meanwhile"}),
            ("PUT", service.content, {"title": "Meanwhile"}),
            ("POST", "administrators/actions/login", login),
        ):
            assert_without_database(service.ask(running, method, path, body))
        assert service.ask(running, "GET", service.content).status_code == 200
        ready = service.ask(running, "GET", "health/ready?details=true")
        assert (ready.status_code, ready.json()["value"]["status"]) == (200, "degraded")
    finally:
        service.execute(switch + "off")
        service.execute(end)
    assert service.ask(running, "PUT", service.content, {"title": "Afterwards"}).status_code == 200


@needs_postgresql
def test_too_many_connections_are_503(running, service):
    ends = "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE usename = 'cms'"
    assert service.ask(running, "GET", service.content).status_code == 200
    service.execute("ALTER ROLE cms CONNECTION LIMIT 0")
    try:
        service.execute(ends)
        assert_without_database(service.ask(running, "GET", service.content))
    finally:
        service.execute("ALTER ROLE cms CONNECTION LIMIT -1")
    assert service.ask(running, "GET", service.content).status_code == 200
    assert "too many connections" in running.log


@needs_postgresql
def test_a_lock_that_is_not_given_in_time_is_503(service):
    with service.serve(CMS_DATABASE_URL=service.url("?options=-c%20lock_timeout%3D100ms")) as server:
        with locked_content(service):
            assert_without_database(service.ask(server, "PUT", service.content, {"title": "Locked"}), "database_busy")
        assert service.ask(server, "PUT", service.content, {"title": "Free"}).status_code == 200
    assert "Traceback" not in server.log


STATES = [
    ("53100", 503, "storage_full"),
    ("40P01", 503, "database_busy"),
    ("40001", 503, "database_busy"),
    ("57014", 503, "database_busy"),
    ("58030", 503, "database_unavailable"),
    ("25006", 503, "database_unavailable"),
    ("42P01", 500, "server_error"),
    ("22012", 500, "server_error"),
]


@needs_postgresql
def test_only_what_is_wrong_with_the_database_is_503(running, service):
    service.execute("CREATE TABLE state (value text)")
    service.execute("GRANT SELECT ON state TO cms")
    service.execute(
        "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$"
        " BEGIN RAISE EXCEPTION USING ERRCODE = (SELECT value FROM state); END $$"
    )
    service.execute("CREATE TRIGGER fails BEFORE UPDATE ON contents_content FOR EACH ROW EXECUTE FUNCTION fail()")
    try:
        for state, status, code in STATES:
            service.execute("DELETE FROM state")
            service.execute("INSERT INTO state VALUES (%s)", state)
            assert_error(service.ask(running, "PUT", service.content, {"title": "Refused"}), status, code)
        # A missing table is the operator's matter only if migrations are missing.
        service.execute("UPDATE state SET value = '42P01'")
        service.execute("UPDATE django_migrations SET app = 'hidden' WHERE app = 'contents'")
        answer = service.ask(running, "PUT", service.content, {"title": "Refused"})
        assert_error(answer, 503, "database_not_migrated")
    finally:
        service.execute("UPDATE django_migrations SET app = 'contents' WHERE app = 'hidden'")
        service.execute("DROP TRIGGER fails ON contents_content")
        service.execute("DROP FUNCTION fail")
        service.execute("DROP TABLE state")
    assert service.title == "Before"
    assert service.ask(running, "PUT", service.content, {"title": "Taken"}).status_code == 200


@needs_postgresql
def test_a_list_that_breaks_off_is_seen_to_be_incomplete(service):
    columns = service.execute(
        "SELECT column_name, data_type FROM information_schema.columns WHERE table_name = 'accounts_user'"
        " AND is_nullable = 'NO' AND column_name NOT IN ('id', 'user_name') AND column_default IS NULL"
    )
    empty = {"boolean": "false", "integer": "0", "bigint": "0", "jsonb": "'{}'"}
    values = ", ".join("'2026-01-01'" if kind.startswith("timestamp") else empty.get(kind, "''") for _, kind in columns)
    names = ", ".join(name for name, _ in columns)
    service.execute("ALTER TABLE accounts_user DISABLE TRIGGER USER")
    service.execute(
        f"INSERT INTO accounts_user (user_name, {names})"
        f" SELECT 'many' || n, {values} FROM generate_series(1, {USERS}) n"
    )
    with service.serve() as server, closing(HTTPConnection("127.0.0.1", server.port, timeout=60)) as client:
        client.request("GET", "/api/v1/users", headers={"X-SS-API-KEY": service.key})
        answer = client.getresponse()  # the rest waits for us to read it
        assert answer.status == 200
        service.postgresql.stop()
        try:
            with pytest.raises(IncompleteRead):
                answer.read()
        finally:
            service.postgresql.start()
        server.await_lines("database_unavailable: ", 1)
        whole = service.ask(server, "GET", "users").json()["value"]
    assert "Traceback" not in server.log
    assert len(whole) == USERS


# ---- PostgreSQL, silent


@pytest.fixture
def silent():
    """A port where connections are taken and nothing is said; with the number of those that came."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        came, connections = threading.Semaphore(0), []

        def take():
            while True:
                try:
                    connections.append(listener.accept()[0])
                except OSError:
                    return
                came.release()

        threading.Thread(target=take, daemon=True).start()
        yield listener.getsockname()[1], came
        listener.shutdown(socket.SHUT_RDWR)
        for each in connections:
            each.close()


@pytest.mark.django_db
@pytest.mark.parametrize("pool", [{}, {"pool": {"max_size": 4}}], ids=["kept connections", "a pool"])
def test_no_more_than_one_thread_waits_for_a_silent_server(silent, pool):
    from core.lib.postgresql.base import DatabaseWrapper

    port, came = silent
    named = {"NAME": "cms", "USER": "cms", "PASSWORD": "", "HOST": "127.0.0.1", "PORT": port, "TIME_ZONE": None}
    kept = {"AUTOCOMMIT": True, "CONN_MAX_AGE": 0, "CONN_HEALTH_CHECKS": False}

    def words():
        wrapper = DatabaseWrapper(named | kept | {"OPTIONS": {"connect_timeout": 2} | pool})
        with pytest.raises(OperationalError) as raised:
            wrapper.ensure_connection()
        assert fault_of(raised.value) is Fault.UNAVAILABLE
        return str(raised.value)

    assert "timeout" in words()
    assert came.acquire(timeout=60)
    trying = threading.Thread(target=words)
    trying.start()
    assert came.acquire(timeout=60)  # the thread is waiting now
    assert "another thread is trying it" in words()
    trying.join()
    assert not came.acquire(blocking=False)


# ---- SQLite


@pytest.fixture
def on_sqlite(tmp_path):
    installation = Installation(tmp_path)
    key = installation.manage("create_api_key", "faults", "--all-scopes")
    installation.manage("create_site", "Harbour", "--root")
    with installation.serve(CMS_DATABASE_URL=f"sqlite:///{tmp_path}/db.sqlite3?timeout=1") as server:

        def ask(method, path, body=None):
            sent = None if body is None else json.dumps(body).encode()
            return server.request(method, f"/api/v1/{path}", sent, {"X-SS-API-KEY": key})

        yield tmp_path / "db.sqlite3", server, ask


def test_while_another_process_writes_readers_go_on_and_writers_are_503(on_sqlite):
    file, server, ask = on_sqlite
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert ask("POST", "contents", {"siteId": 1}).json()["totalCount"] == 0
        assert_without_database(ask("POST", "contents/1/1", {"title": "Meanwhile"}), "database_busy")
        other.execute("ROLLBACK")
    assert ask("POST", "contents/1/1", {"title": "Afterwards"}).status_code == 200
    assert ask("POST", "contents", {"siteId": 1}).json()["totalCount"] == 1
    assert "Traceback" not in server.log


@pytest.mark.skipif(connection.vendor != "sqlite", reason="the limit is one of SQLite's")
@pytest.mark.django_db(transaction=True)
def test_a_full_database_is_503_and_stores_nothing(api):
    from tests.factories import SiteFactory

    site = SiteFactory()
    place, listed = f"/api/v1/contents/{site.pk}/{site.pk}", {"siteId": site.pk}
    with connection.cursor() as cursor:
        cursor.execute("VACUUM")  # without the free pages that earlier tests left, which could hold the content
        pages = cursor.execute("PRAGMA page_count").fetchone()[0]
        before = cursor.execute("PRAGMA max_page_count").fetchone()[0]
        cursor.execute(f"PRAGMA max_page_count = {pages + 10}")
        try:
            refused = api.post(place, {"title": "Large", "content": "x" * 1_000_000})
            assert_without_database(refused, "storage_full")
            assert api.post("/api/v1/contents", listed).json()["totalCount"] == 0
        finally:
            cursor.execute(f"PRAGMA max_page_count = {before}")
    assert api.post(place, {"title": "Large", "content": "x" * 1_000_000}).status_code == 200


# ---- Pages


def fail_busy(request):
    with closing(sqlite3.connect(request.GET["file"])) as one, closing(sqlite3.connect(request.GET["file"], 0)) as two:
        one.execute("BEGIN IMMEDIATE")
        two.execute("BEGIN IMMEDIATE")


def fail_full(request):
    with closing(sqlite3.connect(":memory:")) as one:
        one.execute("PRAGMA max_page_count = 2")
        one.execute("CREATE TABLE large AS SELECT randomblob(100000)")


def fail_on_full_disk(request):
    with open("/dev/full", "w", buffering=1) as device:
        device.write("x" * 10_000)


def fail_damaged(request):
    with open(request.GET["file"], "wb") as file:
        file.write(b"x" * 10_000)
    with closing(sqlite3.connect(request.GET["file"])) as one:
        one.execute("SELECT * FROM sqlite_master")


def fail_old(request):
    with closing(sqlite3.connect(":memory:")) as one:
        one.execute("SELECT * FROM contents_content")


def fail_away(request):
    sqlite3.connect("/nowhere/at/all")


urlpatterns = [
    path("admin/busy/", fail_busy),
    path("admin/full/", fail_full),
    path("admin/disk/", fail_on_full_disk),
    path("admin/damaged/", fail_damaged),
    path("admin/old/", fail_old),
    path("admin/away/", fail_away),
    path("api/v1/away", fail_away),
    *urls.urlpatterns,
]
handler500 = urls.handler500
PAGES = [
    ("busy", "2", "It is busy with other changes"),
    ("full", "60", "The disk is full"),
    ("disk", "60", "The disk is full"),
    ("damaged", "60", "Its file is damaged"),
    ("old", "60", "It has not been migrated to this release"),
    ("away", "5", "It does not respond"),
]


@pytest.mark.urls(__name__)
@pytest.mark.django_db
@pytest.mark.parametrize(("name", "wait", "sentence"), PAGES)
def test_a_page_says_what_is_wrong_with_the_database(monkeypatch, tmp_path, caplog, name, wait, sentence):
    if name == "old":
        monkeypatch.setattr(database_faults, "missing_migrations", lambda: [("contents", "0099_next")])
    answer = Client(raise_request_exception=False).get(f"/admin/{name}/", {"file": tmp_path / "db"})
    assert (answer.status_code, answer["Retry-After"]) == (503, wait)
    assert sentence in answer.content.decode()
    assert [bool(record.exc_info) for record in caplog.records] == [False]


@pytest.mark.urls(__name__)
def test_outside_of_the_views_of_the_api_it_is_its_error_body_too(caplog):
    answer = Client(raise_request_exception=False).get("/api/v1/away")
    assert_without_database(answer)
    assert [bool(record.exc_info) for record in caplog.records] == [False]
