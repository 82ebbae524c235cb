from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest

from core.lib import clock
from migration.context import Context, Options
from migration.layout import read_layout
from migration.models import MigrationRun
from migration.report import Report
from migration.steps import migrate
from migration.verification import verify
from tests.migration.installations.small import small_tables
from tests.migration.mariadb_server import MariaDBServer
from tests.migration.memory import MemorySource


class Silence:
    def begin(self, what, total=None): ...

    def advance(self, number): ...

    def end(self): ...


def rows_of(tables):
    """The rows of tables by name, which a test may change."""
    return {name: [dict.fromkeys(table.columns) | row for row in table.rows] for name, table in tables.items()}


@pytest.fixture
def small():
    return rows_of(small_tables())


@pytest.fixture
def moved(moved_from):
    """Migrates rows by table, and returns the report."""
    return lambda tables, **options: moved_from(MemorySource(tables), **options)


@pytest.fixture
def moved_from(db, tmp_path):
    """Migrates an open source, and returns the report."""

    def run(source, **options):
        runs = len(list(tmp_path.glob("report*")))
        folder = tmp_path / f"report{runs}"
        folder.mkdir()
        zone = ZoneInfo("Asia/Shanghai")
        # Two runs of a test may be in the same second.
        asked = Options(time_zone=zone, started_at=clock.now() + timedelta(seconds=runs), **options)
        with Report(folder) as report:
            context = Context(source, asked, report, Silence())
            layout = read_layout(context.source)
            brought = migrate(context, layout, MigrationRun.objects.create(fingerprint="memory", source="memory"))
            verify(context, layout, brought)
            report.write()
        return report

    return run


@pytest.fixture(scope="session")
def mariadb(tmp_path_factory):
    server = MariaDBServer(tmp_path_factory.mktemp("db"))
    yield server
    server.stop()
