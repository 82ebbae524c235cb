"""A migration whose process was killed: no finding is lost, and none counts twice."""

import csv
import signal

import pytest

from tests.migration.installations.generated import generated_tables
from tests.migration.installations.writers import write_backup_folder
from tools import forking
from tools.programs import SECONDS
from tools.servers import Installation

pytestmark = pytest.mark.large

# Ends the process as a power failure would, in the middle of a transaction, when the call comes for the n-th time.
_KILLED = """
import os, signal
from itertools import count
from django.core.management import call_command
from migration import contents
from migration import records
from migration.people import accounts
contents._BATCH, accounts._BATCH = 50, 4
calls, store = count(1), records.store
def store_or_die(table, *arguments, **options):
    store(table, *arguments, **options)
    if {table!r} in table and next(calls) == {call}:
        os.kill(os.getpid(), signal.SIGKILL)
records.store = store_or_die
call_command("migrate_siteserver", {source!r}, "--report", {report!r}, quiet=True)
"""


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    folder = tmp_path_factory.mktemp("source") / "backup"
    write_backup_folder(generated_tables(contents=300, sites=2, channels=5, users=12), folder)
    return str(folder)


@pytest.fixture(scope="module")
def undisturbed(source, tmp_path_factory):
    """The findings of a run that nothing interrupts."""
    folder = tmp_path_factory.mktemp("undisturbed")
    Installation(folder / "data").manage("migrate_siteserver", source, "--report", folder / "report")
    return findings_of(folder / "report")


def findings_of(folder):
    with (folder / "findings.csv").open(encoding="utf-8-sig", newline="") as file:
        return sorted(tuple(row) for row in csv.reader(file))


@pytest.mark.parametrize(
    ("table", "call", "arguments"),
    [("administrator", 2, ["--resume"]), ("siteserver_content", 3, []), ("siteserver_user", 2, ["--resume"])],
)
def test_all_findings_are_in_the_report_of_the_next_run(source, undisturbed, tmp_path, table, call, arguments):
    installation = Installation(tmp_path / "data")
    killed, next_one = tmp_path / "killed", tmp_path / "next"
    script = _KILLED.format(table=table, call=call, source=source, report=str(killed))
    code, out, errors = forking.run(
        installation.environment, "manage.py", "shell", "--verbosity", "0", "--command", script, seconds=SECONDS
    )
    assert code == -signal.SIGKILL, (out, errors)
    assert not (killed / "report.html").exists()
    installation.manage("migrate_siteserver", source, "--report", next_one, *arguments)
    assert findings_of(next_one) == undisturbed
