"""A database file that is damaged, empty or not migrated: what servers and commands say."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from tests.assertions import assert_error
from tools.servers import ROOT, Installation

pytestmark = pytest.mark.large

OWN_SERVERS = True  # whatever database the suite runs on


def without_header(file):
    with file.open("r+b") as stream:
        stream.write(b"x" * 100)


def cut_off(file):
    os.truncate(file, file.stat().st_size // 2)


def emptied(file):
    os.truncate(file, 0)


def change(file, statement):
    program = "import sqlite3, sys; sqlite3.connect(sys.argv[1], isolation_level=None).execute(sys.argv[2])"
    subprocess.run([sys.executable, "-c", program, file, statement], check=True)


def without_a_column(file):
    change(file, "ALTER TABLE apikeys_apikeytoken RENAME COLUMN valid_until TO ends")


DAMAGED = ("database_damaged", "The database file is damaged, or is not a database.")
NOT_MIGRATED = ("database_not_migrated", "The database has not been migrated to this release; run manage.py migrate.")


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """An installation with a key, which no server uses."""
    folder = tmp_path_factory.mktemp("sound")
    return folder, Installation(folder).manage("create_api_key", "everything", "--all-scopes")


@pytest.fixture
def broken(sound, tmp_path, request):
    """A copy whose database file was changed, and the key."""
    folder, key = sound
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    request.param(tmp_path / "db.sqlite3")
    return Installation(tmp_path, administrator=False), key


def command(installation, *arguments):
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT, env=installation.environment, capture_output=True, text=True,
    )  # fmt: skip


def assert_fault_is_named(installation, server, key, code, sentence):
    answer = server.request("GET", "/api/v1/users", headers={"X-SS-API-KEY": key})
    assert_error(answer, 503, code)
    assert int(answer.headers["Retry-After"]) > 0
    assert server.request("GET", "/api/v1/ping").status_code == 200
    assert "Traceback" not in server.log
    done = command(installation, "list_api_keys")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(sentence)
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("broken", "code", "sentence", "reason"),
    [
        (without_header, *DAMAGED, DAMAGED[1]),
        (cut_off, *DAMAGED, DAMAGED[1]),
        (emptied, *NOT_MIGRATED, "migrations of this code have not been applied"),
    ],
    indirect=["broken"],
)
def test_a_file_that_cannot_be_used_is_named_wherever_an_operator_looks(broken, code, sentence, reason):
    installation, key = broken
    with installation.serve(CMS_WORKERS="1") as server:
        server.await_lines("Not ready: ")
        assert reason in server.log
        assert_fault_is_named(installation, server, key, code, sentence)
        assert server.request("GET", "/api/v1/health/ready").status_code == 503
    found = json.loads(command(installation, "doctor", "--json").stdout)["subjects"]
    assert any(reason in finding["message"] for finding in found[0]["findings"])


@pytest.mark.parametrize("broken", [without_header, cut_off], indirect=True)
def test_a_first_start_refuses_a_damaged_file(broken):
    done = command(broken[0], "first_start")
    assert done.returncode == 1
    assert done.stderr.startswith(DAMAGED[1])


@pytest.mark.parametrize("broken", [without_a_column], indirect=True)
def test_a_missing_column_is_a_bug_unless_migrations_are_missing(broken, tmp_path):
    installation, key = broken
    with installation.serve(CMS_WORKERS="1") as server:
        assert_error(server.request("GET", "/api/v1/users", headers={"X-SS-API-KEY": key}), 500, "server_error")
        server.await_lines("no such column")
        assert "Traceback" in server.log
    assert "Traceback" in command(installation, "list_api_keys").stderr
    change(tmp_path / "db.sqlite3", "DELETE FROM django_migrations WHERE app = 'apikeys'")
    with installation.serve(CMS_WORKERS="1") as server:
        assert_fault_is_named(installation, server, key, *NOT_MIGRATED)


def test_a_restart_with_code_that_cannot_be_loaded_ends_with_a_sentence(tmp_path):
    (tmp_path / "sitecustomize.py").write_text("import sys; sys.modules['cms_api.urls'] = None")
    installation = Installation(tmp_path / "data", administrator=False)
    installation.environment |= {"PYTHONPATH": str(tmp_path)}
    done = command(installation, "restart")
    assert done.returncode == 1
    assert done.stderr.startswith("The code cannot be loaded, so no server was asked to restart: ")
    assert "Traceback" not in done.stderr
