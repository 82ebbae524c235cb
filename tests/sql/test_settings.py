"""The settings of the SQL endpoint: a wrong one closes it with a reason, and the service goes on."""

import logging
import os
import signal
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
from django.core.checks import Warning, run_checks
from django.core.management import CommandError, call_command
from django.db import connection, connections

from cms_api.sql_endpoint import checks, reader_role, sandbox
from cms_api.sql_endpoint.checks import find_problems
from sql_sandbox.refusals import Unavailable

ROOT = Path(__file__).resolve().parents[2]
SELECT_ONE = "SELECT 1 AS x"
# Each with a part of the password where libpq's own words would quote it.
WRONG_ADDRESSES = [
    "postgres://reader:se%cret@127.0.0.1/museum",
    "postgres://reader:secret",
    "postgres://reader:secret@[127.0.0.1/museum",
    "postgres://reader:secret@127.0.0.1/museum?secret=1",
    "postgres://reader:sec/ret@127.0.0.1/museum",
    "postgres://reader:secret@127.0.0.1:port/museum",
    "password=secret host",
]


# setting, value, what is said
WRONG = [
    ("CMS_SQL_TABLES", ["auth_user"], 'CMS_SQL_TABLES: There is no table "auth_user"'),
    ("CMS_SQL_READER_URL", "postgres://reader:secret", "CMS_SQL_READER_URL cannot be read"),
]


@pytest.mark.parametrize(("name", "value", "said"), WRONG)
def test_a_wrong_setting_closes_the_endpoint_with_a_sentence(settings, name, value, said):
    setattr(settings, name, value)
    (problem,) = find_problems()
    assert problem.startswith(said)
    with pytest.raises(Unavailable) as refused:
        sandbox.run_statement(SELECT_ONE, None)
    assert refused.value.message == f"The SQL endpoint is closed: {problem}"


def test_a_wrong_setting_is_a_warning_and_no_error(settings):
    settings.CMS_SQL_READER_URL, settings.CMS_SQL_TABLES = "postgres://reader:secret", ["auth_user"]
    found = [message for message in run_checks() if message.id == "cms_api.W003"]
    assert [type(message) for message in found] == [Warning, Warning]
    assert 'no table "auth_user"' in found[0].msg
    assert "CMS_SQL_READER_URL cannot be read" in found[1].msg
    # Nothing is asked of the database then.
    assert checks.check_reader(databases=["default"]) == []


@pytest.mark.parametrize("address", WRONG_ADDRESSES)
def test_an_address_that_cannot_be_read_is_named_without_its_password(settings, address):
    settings.CMS_SQL_READER_URL = address
    with pytest.raises(ValueError, match=r"^CMS_SQL_READER_URL cannot be read") as error:
        reader_role.connection_parameters()
    assert "sec" not in str(error.value)
    assert error.value.__context__ is None
    assert "sec" not in " ".join(find_problems())


@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="the account is PostgreSQL's")
@pytest.mark.parametrize("options", [(), ("--print",), ("--remove",)])
def test_the_command_names_an_address_that_cannot_be_read(transactional_db, settings, options):
    settings.CMS_SQL_READER_URL = "postgres://reader:secret"
    with pytest.raises(CommandError, match=r"^CMS_SQL_READER_URL cannot be read"):
        call_command("set_up_sql_reader", *options)


@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="the account is PostgreSQL's")
def test_setting_up_needs_settings_that_hold(transactional_db, settings):
    settings.CMS_SQL_TABLES = ["auth_user"]
    with pytest.raises(CommandError, match='no table "auth_user"'):
        call_command("set_up_sql_reader", "--print")


# ---- Which database


def test_a_path_of_sqlite_does_not_depend_on_where_the_child_runs(settings, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(connection.settings_dict, "NAME", "museum.sqlite3")
    monkeypatch.setattr(type(connections["default"]), "vendor", "sqlite")
    monkeypatch.setattr(type(connections["default"]), "is_in_memory_db", lambda self: False, raising=False)
    assert sandbox.find_configuration().database["path"] == str(tmp_path / "museum.sqlite3")


@pytest.mark.skipif("connection.vendor != 'sqlite'", reason="is about SQLite")
@pytest.mark.parametrize("name", [":memory:", "file:museum?mode=memory&cache=shared"])
def test_a_database_in_memory_is_not_there_for_another_process(monkeypatch, name):
    monkeypatch.setitem(connection.settings_dict, "NAME", name)
    with pytest.raises(Unavailable, match=r"^The SQL endpoint is closed: .* memory"):
        sandbox.run_statement(SELECT_ONE, None)


def test_another_kind_of_database_closes_the_endpoint(monkeypatch):
    monkeypatch.setattr(type(connections["default"]), "vendor", "oracle")
    with pytest.raises(Unavailable, match=r"^The SQL endpoint is closed: .*SQLite and PostgreSQL"):
        sandbox.run_statement(SELECT_ONE, None)


@pytest.mark.parametrize(("name", "value"), [("CMS_SQL_SLOTS", 0), ("CMS_SQL_TABLES", ["auth_user"])])
def test_a_closed_endpoint_asks_nothing_of_the_database(db, settings, django_assert_num_queries, name, value):
    setattr(settings, name, value)
    with django_assert_num_queries(0), pytest.raises(Unavailable, match="closed"):
        sandbox.run_statement(SELECT_ONE, None)


def test_a_worker_that_is_forked_while_the_lock_is_held_gets_a_free_one():
    with sandbox._process._lock:
        pid = os.fork()
        if pid == 0:
            # Whoever waits for a lock that nobody gives back is ended.
            signal.alarm(10)
            sandbox.close()
            os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0


# ---- At start


def lines_at_start(caplog):
    """What the server's log gets at start."""
    caplog.clear()
    checks.log_at_start(logging.getLogger("tests.start"))
    return [record.getMessage() for record in caplog.records if record.name == "tests.start"]


def test_every_wrong_setting_has_a_line_at_start(transactional_db, settings, caplog):
    settings.CMS_SQL_READER_URL, settings.CMS_SQL_TABLES = "postgres://reader:secret", ["auth_user"]
    first, second = lines_at_start(caplog)
    assert 'no table "auth_user"' in first
    assert "CMS_SQL_READER_URL cannot be read" in second


def no_connection():
    return all(one.connection is None for one in connections.all(initialized_only=True))


def test_no_connection_is_left_open_at_start(transactional_db, caplog):
    connection.ensure_connection()
    lines_at_start(caplog)
    assert no_connection()


@pytest.mark.parametrize("error", [OSError, RuntimeError, psycopg.ProgrammingError])
def test_nothing_leaves_the_look_at_start(transactional_db, monkeypatch, caplog, error):
    def fail(**_):
        connection.ensure_connection()
        raise error("a secret in an error")

    monkeypatch.setattr(checks, "check_settings", fail)
    (line,) = lines_at_start(caplog)
    assert error.__name__ in line
    assert "secret" not in line
    assert no_connection()


@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="the account is PostgreSQL's")
def test_a_database_that_cannot_be_reached_is_a_fault_and_no_error(transactional_db, monkeypatch, caplog):
    # The name of the database has to be asked for where it stands in a service file.
    connection.close()
    with monkeypatch.context() as patch:
        patch.setitem(connection.settings_dict, "NAME", "")
        patch.setitem(connection.settings_dict, "OPTIONS", {"service": "no_such_service"})
        assert checks.look_at_reader().reason == "its database account cannot sign in"
        (line,) = lines_at_start(caplog)
    assert "cannot sign in" in line
    assert no_connection()


# ---- The catalogue in the settings


def test_the_settings_load_neither_django_nor_a_driver_with_the_catalogue():
    code = (
        "import sys, cms_api.sql_endpoint.catalogue\n"
        "heavy = {'django', 'psycopg', 'sqlglot', 'rest_framework'}\n"
        "print(*sorted(heavy & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "\n"
