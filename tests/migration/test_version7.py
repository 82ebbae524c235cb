"""The same installation in the columns of version 7."""

from contents.models import Content, CustomField
from migration.report import Outcome
from sites.models import Site
from tests.migration.conftest import rows_of
from tests.migration.installations.small import small_tables
from tests.migration.installations.version7 import as_version7


def test_version_7_becomes_the_same_records(moved, small):
    moved(small)
    expected = list(
        Content.objects.order_by("pk").values(
            "pk", "title", "tags", "is_top", "hits", "add_user_name", "last_edit_date"
        )
    )
    sites = list(Site.objects.order_by("pk").values("pk", "site_name", "is_root", "settings"))
    report = moved(rows_of(as_version7(small_tables())))
    assert list(Content.objects.order_by("pk").values(*expected[0])) == expected
    assert list(Site.objects.order_by("pk").values(*sites[0])) == sites
    assert report.outcomes["contents"][Outcome.UPDATED] == len(expected)
    assert CustomField.objects.filter(site_id=36, folded_name="region", kind="choice").exists()
