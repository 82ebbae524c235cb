"""`GET /stl/value`."""

import pytest

from tests.factories import SiteFactory
from tests.stl.asking import ask
from tests.worlds import world

pytestmark = pytest.mark.django_db


@world
def site():
    return SiteFactory(site_name="Museum", site_dir="museum", settings={"motto": "Hello World", "pageSize": 3})


@pytest.mark.parametrize("kind,expected", [
    ("siteName", "Museum"),
    ("sitename", "Museum"),
    (" SITEURL ", "/museum"),
    ("motto", "Hello World"),
    ("Motto", "Hello World"),
    # What a site has beyond is known to `site` only.
    ("id", ""),
    ("siteDir", ""),
    ("tableName", ""),
    ("isRoot", ""),
    ("pageSize", ""),
    ("charset", ""),
    # Scripts for pages.
    ("date", ""),
    ("dateOfTraditional", ""),
    ("nothing", ""),
    ("", ""),
    (" ", ""),
])  # fmt: skip
def test_each_type_is_a_text(api, site, kind, expected):
    assert ask(api, "value", siteId=site.pk, type=kind) == expected


def test_without_a_type_it_is_empty(api, site):
    assert ask(api, "value", siteId=site.pk) == ""


@pytest.mark.parametrize("query,expected", [
    ({"wordNum": 4}, "Hello..."),
    ({"startIndex": 6, "isUpper": "true"}, "WORLD"),
    ({"replace": "o", "to": "0", "leftText": "-"}, "-Hell0 W0rld"),
])  # fmt: skip
def test_text_attributes_shape_custom_fields_only(api, site, query, expected):
    assert ask(api, "value", query, siteId=site.pk, type="motto") == expected
    assert ask(api, "value", query, siteId=site.pk, type="siteName") == "Museum"
    assert ask(api, "value", query, siteId=site.pk, type="siteUrl") == "/museum"
