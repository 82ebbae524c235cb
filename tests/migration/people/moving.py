"""Rows of people in a SiteServer database, and how tests migrate them."""

from contextlib import contextmanager
from datetime import timedelta
from zoneinfo import ZoneInfo

from core.archive.commands import Bars
from core.lib import clock
from migration.context import Context, Options
from migration.report import Report
from tests.migration.installations.encryption import SALT, encrypted_password
from tests.migration.memory import MemorySource

DAY = "2019-03-01 10:20:30"
PASSWORD = "港口 Pass+word/1?"


def secret(plain=PASSWORD):
    return {"Password": encrypted_password(plain), "PasswordFormat": "Encrypted", "PasswordSalt": SALT}


def administrator(number, name, **columns):
    own = {"Id": number, "UserName": name, "CreationDate": DAY, "IsLockedOut": "False", "SiteIdCollection": ""}
    return secret() | own | columns


def user(number, name, **columns):
    own = {"Id": number, "UserName": name, "CreateDate": DAY, "IsChecked": "True", "IsLockedOut": "False"}
    return secret() | own | columns


class Migration:
    """Runs steps on tables that a test may change in between; the report is that of the last run."""

    def __init__(self, folder, **tables):
        self.tables = {f"siteserver_{name}": rows for name, rows in tables.items()}
        self._folder, self._runs = folder, 0

    def run(self, *steps, **options):
        self._runs += 1
        self.folder = self._folder / str(self._runs)
        self.folder.mkdir()
        self.report = Report(self.folder)
        given = Options(time_zone=ZoneInfo("Asia/Shanghai"), started_at=clock.now(), **options)
        context = Context(MemorySource(self.tables), given, self.report, Bars(quiet=True))
        for step in steps:
            step(context)
        self.report.close()
        return self

    def row(self, table, number):
        return next(row for row in self.tables[f"siteserver_{table}"] if row["Id"] == number)

    def outcomes(self, kind):
        return {str(outcome): count for outcome, count in self.report.outcomes[kind].items() if count}

    def places(self, sentence):
        """The places of the one finding whose sentence has these words."""
        (found,) = [finding for told, finding in self.report.findings.items() if sentence in told]
        return found.places


@contextmanager
def later(monkeypatch, **amount):
    """Move the time forward within the block."""
    moved = clock.now() + timedelta(**amount)
    with monkeypatch.context() as patch:
        patch.setattr(clock, "now", lambda: moved)
        yield
