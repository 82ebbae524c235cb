"""The process that runs statements, from outside: frames in, frames out, and its limits."""

import io
import signal
import sqlite3
import subprocess
import sys
import time
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

import orjson
import pytest

from sql_sandbox.running.child import Parts, serve
from sql_sandbox.running.messages import (
    Configuration,
    Request,
    pack,
    pack_request,
    read_frame,
)
from sql_sandbox.running.sqlite_reader import SqliteReader
from tests.sql.scripted_child import TABLES, compile_query, read_statement

ROOT = Path(__file__).resolve().parents[2]
COMMAND = [sys.executable, "-m", "tests.sql.scripted_child"]
SECONDS = 60  # until a process that does nothing counts as stuck
NOW = datetime(2026, 1, 31, 12)


class Child:
    """A running child, spoken to as a worker does."""

    def __init__(self, database, **configuration):
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(COMMAND, cwd=ROOT, stdin=pipe, stdout=pipe, stderr=pipe)
        self.send(pack(asdict(Configuration(database, ("siteserver_Content",), **configuration))))
        assert self.receive() == ({}, b"")

    def ask(self, text, seconds=SECONDS, **fields):
        """The header of the answer, and the rows."""
        self.send(pack_request(Request(text, NOW, **fields), time.monotonic() + seconds))
        header, rows = self.receive()
        return header, orjson.loads(rows or "null")

    def send(self, frame):
        self.process.stdin.write(frame)
        self.process.stdin.flush()

    def receive(self):
        return read_frame(self.process.stdout)

    def end(self):
        """How the process ended, and what it wrote for the log."""
        _, errors = self.process.communicate(timeout=SECONDS)
        return self.process.returncode, errors.decode()


@pytest.fixture
def child(tmp_path):
    """A child with an empty SQLite database."""
    sqlite3.connect(tmp_path / "db.sqlite3").close()
    child = Child({"engine": "sqlite", "path": str(tmp_path / "db.sqlite3")})
    yield child
    child.process.kill()
    child.process.communicate()


def test_answers_one_statement_after_the_other(child):
    for number in range(3):
        header, rows = child.ask(f"SELECT {number}")
        assert (header["truncated"], rows) == ("", [{"x": number}])


def test_hands_the_request_through_reading_compiling_and_the_reader():
    child = Child({"engine": "echo"}, contents="siteserver_Content")
    _, (answer,) = child.ask(
        "SELECT 1",
        site_ids=(1, 2),
        contents_tables={"model": (2,)},
        order=(("x", True),),
        start=3,
        total=4,
    )
    assert answer == {
        "called": {
            "query": "SELECT 1",
            "engine": "echo",
            "now": "2026-01-31T12:00:00",
            "max_rows": 1000,
            "order": [["x", True]],
            "start": 3,
            "total": 4,
            "found": ["siteserver_Content", "Model"],  # of the tables only those that are open
        },
        "sites": [1, 2],
        "rows": 1000,
    }
    assert child.end() == (0, "")


def test_a_refusal_is_answered_with_its_code_and_the_next_statement_runs(child):
    header, rows = child.ask("SELECT load_extension('x')")
    assert (header["code"], rows) == ("sql_not_allowed", None)
    assert child.ask("SELECT 1")[1] == [{"x": 1}]


@pytest.mark.parametrize(
    "text",
    [
        "python: f = lambda: f(); f()",
        "python: bytearray(900 * 1024 * 1024)",
        "python: a = ['x' * 2**20 for _ in range(10000)]",
        "python: raise MemoryError",
    ],
)
def test_what_is_too_deep_or_needs_too_much_memory_is_too_large(child, text):
    header, _ = child.ask(text)
    assert header["code"] == "sql_too_large"
    assert child.ask("SELECT 1")[1] == [{"x": 1}]


def test_a_bug_is_logged_by_its_place_without_the_statement(child):
    header, _ = child.ask("python: raise ValueError('a secret literal')")
    assert header["code"] == "bug"
    assert child.ask("SELECT 1")[1] == [{"x": 1}]
    code, log = child.end()
    assert (code, "ValueError" in log, "in read_statement" in log, "literal" in log) == (0, True, True, False)


def test_a_sort_cannot_fill_the_disk(child):
    ten = f"(SELECT 1 AS a{' UNION ALL SELECT 1' * 9})"
    crossed = ", ".join(f"{ten} AS q{number}" for number in range(9))
    many = f"SELECT q1.a FROM {crossed} ORDER BY q0.a + q1.a + q2.a, q3.a LIMIT -1 OFFSET 5"
    header, _ = child.ask(many)
    assert (header["code"], "temporary space" in header["message"]) == ("sql_failed", True)


@pytest.mark.parametrize(
    "code",
    [
        "import tempfile; file = tempfile.TemporaryFile(); file.write(bytes(65 * 2**20)); file.flush()",
        "files = [open('/dev/null') for _ in range(100)]",
    ],
)
def test_files_have_limits_of_size_and_number(child, code):
    code = f"try:\n    {code}\n    value = 0\nexcept OSError:\n    value = 5"
    assert child.ask(f"python: {code}")[1] == [{"x": 5}]


@pytest.mark.parametrize(
    "holds",
    [
        "'django' not in sys.modules",
        "__import__('resource').getrlimit(__import__('resource').RLIMIT_CORE) == (0, 0)",
        "__import__('resource').getrlimit(__import__('resource').RLIMIT_AS)[1] <= 2**30",
        "os.getpriority(os.PRIO_PROCESS, 0) >= 5",
        "signal.getitimer(signal.ITIMER_REAL)[0] > 0",
        "os.kill(os.getpid(), signal.SIGINT) is None",
        "print('noise') is None and sys.stdout.flush() is None",
        "os.write(1, b'noise') == 5",
    ],
)
def test_the_process_is_fenced_and_keeps_its_answers_clean(child, holds):
    assert child.ask(f"python: value = int({holds})")[1] == [{"x": 1}]
    assert child.ask("SELECT 2")[1] == [{"x": 2}]


def test_ends_when_its_worker_closes_the_pipe(child):
    child.ask("SELECT 1")
    assert child.end() == (0, "")


def test_ends_itself_soon_after_the_deadline_without_a_worker(child):
    child.send(pack_request(Request("python: while True: pass", NOW), time.monotonic() + 0.1))
    assert child.end()[0] == -signal.SIGALRM


def test_ends_when_nobody_takes_the_answer(child):
    child.process.stdout.close()
    child.send(pack_request(Request("SELECT 1", NOW), time.monotonic() + SECONDS))
    assert child.process.wait(SECONDS) == 0


def test_serves_any_two_streams(tmp_path):
    sqlite3.connect(tmp_path / "db.sqlite3").close()
    configuration = Configuration({"engine": "sqlite", "path": str(tmp_path / "db.sqlite3")}, ("siteserver_Content",))
    texts = ["SELECT 1", "python: 1 / 0", "SELECT nothing", "python: value = [x := 0] * 10**12", "SELECT 2"]
    frames = [pack(asdict(configuration))]
    frames += [pack_request(Request(text, NOW), time.monotonic() + SECONDS) for text in texts]
    answers = io.BytesIO()
    readers = {"sqlite": lambda database: SqliteReader(database["path"], {})}
    serve(Parts(TABLES, read_statement, compile_query, readers), io.BytesIO(b"".join(frames)), answers)
    answers.seek(0)
    found = [read_frame(answers) for _ in range(1 + len(texts))]
    assert read_frame(answers) is None
    assert found[0] == ({}, b"")
    assert [header.get("code", rows) for header, rows in found[1:]] == [
        b'[{"x":1}]',
        "bug",
        "sql_failed",
        "sql_too_large",
        b'[{"x":2}]',
    ]


def test_streams_that_end_before_the_first_frame_are_left():
    answers = io.BytesIO()
    serve(Parts((), read_statement, compile_query, {}), io.BytesIO(), answers)
    assert answers.getvalue() == b""
