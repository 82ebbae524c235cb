"""A larger installation with faults as old ones have: all that is there comes along or is in the report."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from channels_app.tree_fields import Survey
from contents.models import Content, ListedContent
from migration import contents
from migration.report import Outcome
from sites.models import Site
from tests.migration.conftest import rows_of
from tests.migration.installations.generated import generated_tables


# As few contents of each as have every kind of finding.
@pytest.mark.parametrize(
    ("options", "number", "kinds"),
    [({"faults": False}, 400, 2), ({"faults": True}, 700, 17), ({"faults": True, "shared": True}, 400, 17)],
)
def test_all_that_is_there_comes_along_or_is_in_the_report(moved, options, number, kinds):
    rows = rows_of(generated_tables(contents=number, sites=3, channels=20, **options))
    report = moved(rows)
    assert len(report.findings) == kinds
    assert [each for each in report.checks if not each["is_right"]] == []
    left_out = sum(1 for found in report.findings.values() for _place in range(found.count))
    assert Content.objects.count() + left_out >= number
    assert not [problem for site in Site.objects.all() for problem in Survey(site.pk).problems]
    assert ListedContent.objects.count() >= Content.objects.live().count()
    if not options["faults"]:
        key = "An API key has not been carried over: keys were not asked for. Issue a new one."
        assert set(report.findings) <= {key, "A preview of an unsaved content was left out."}
    again = moved(rows)
    assert [each for each in again.checks if not each["is_right"]] == []
    assert not again.outcomes["contents"][Outcome.NEW] and not again.outcomes["contents"][Outcome.UPDATED]


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite keeps no plans for empty tables")
def test_postgresql_plans_for_the_size_that_the_tables_have_by_then(moved, monkeypatch):
    monkeypatch.setattr(contents, "_FIRST_STATISTICS", 100)
    with CaptureQueriesContext(connection) as statements:
        moved(rows_of(generated_tables(contents=1_000, sites=3, channels=20)))
    gathered = [each for each in statements if each["sql"] == 'ANALYZE "migration_migratedrecord"']
    assert len(gathered) == 3  # after the first table (333), after the second (666, from 400 on), and at the end
