"""The published statements, replayed over HTTP."""

import json
from pathlib import Path

import pytest

from tests.factories import ChannelFactory, ContentFactory, SiteFactory
from tests.stl.asking import ask

SAMPLES = Path(__file__).parents[3] / "shared" / "samples"
pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("sql_reader"),
    pytest.mark.skipif(not SAMPLES.is_dir(), reason="The samples do not lie in ../shared/samples."),
]


def sample(name):
    """The query, and the value that was answered."""
    shown = json.loads((SAMPLES / f"{name}.json").read_text(encoding="utf-8"))
    return shown["request"]["query"], (shown["response"]["body"] or {}).get("value")


def test_the_rows_of_sites_are_answered_as_published(api):
    query, expected = sample("14-stl-sqlContents")
    assert expected
    for shown in expected:
        SiteFactory(site_name=shown["siteName"], site_dir=shown["siteDir"], table_name=shown["tableName"])
    answered = ask(api, "sqlContents", query)
    for row, shown in zip(answered, expected, strict=True):
        # Rows may differ in which columns they carry.
        assert {name: type(value) for name, value in row.items()} == {name: type(shown.get(name, "")) for name in row}
        assert (row["siteName"], row["siteDir"], row["tableName"]) == (
            shown["siteName"],
            shown["siteDir"],
            shown["tableName"],
        )


def test_the_statement_of_a_user_is_carried_out(api):
    query, _ = sample("88-wire-sqlContents")
    site = SiteFactory(table_name="siteserver_Content_1")
    content = ContentFactory(channel=ChannelFactory(site=site))
    statement = query["queryString"].replace("'688'", f"'{site.pk}'").replace("'690'", f"'{content.channel_id}'")
    assert statement != query["queryString"]
    [row] = ask(api, "sqlContents", queryString=statement)
    assert (row["id"], row["title"]) == (content.pk, content.title)
    assert ask(api, "sqlContents", query) == []
