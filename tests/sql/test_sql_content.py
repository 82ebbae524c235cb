"""`GET /stl/sqlContent`: the first row of a client's SELECT, or one of its values as a text."""

import pytest

from tests.factories import ChannelFactory, ContentFactory, SiteFactory
from tests.stl.asking import ask, refused

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("sql_reader")]
STATEMENT = "SELECT Title, Hits, IsTop, AddDate, LastHitsDate FROM siteserver_Content ORDER BY Hits DESC"


@pytest.fixture(autouse=True)
def contents():
    channel = ChannelFactory(site=SiteFactory())
    ContentFactory(channel=channel, title="The ship", hits=3)
    return ContentFactory(channel=channel, title="The harbour opens", hits=1525, last_hits_date=None)


def test_without_type_it_is_the_first_row(api, contents):
    assert ask(api, "sqlContent", queryString=STATEMENT) == {
        "title": "The harbour opens",
        "hits": 1525,
        "isTop": "False",
        "addDate": f"{contents.add_date:%Y-%m-%d %H:%M:%S}",
        "lastHitsDate": None,
    }


@pytest.mark.parametrize("query", [{}, {"queryString": " "}, {"queryString": "SELECT Id FROM siteserver_Tag"}])
def test_without_a_row_or_a_statement_it_is_null_or_an_empty_text(api, query):
    assert ask(api, "sqlContent", query) is None
    assert ask(api, "sqlContent", query, type="id") == ""


@pytest.mark.parametrize(
    "attributes,expected",
    [
        ({"type": "title"}, "The harbour opens"),
        ({"type": "HITS"}, "1525"),
        ({"type": "isTop"}, "False"),
        ({"type": "lastHitsDate"}, ""),
        ({"type": "nothing"}, "The harbour opens"),  # the first column, as in the original
        ({"type": "title", "isUpper": "true", "length": "11"}, "THE HARBOUR"),
        ({"type": "title", "wordNum": "2"}, "The ..."),
        ({"type": "title", "replace": "harbour", "to": "port", "leftText": "<", "rightText": ">"}, "<The port opens>"),
        ({"type": "lastHitsDate", "leftText": "<"}, ""),
        ({"type": "hits", "formatString": "yyyy"}, "1525"),
    ],
)
def test_with_type_it_is_one_value_as_a_shaped_text(api, attributes, expected):
    assert ask(api, "sqlContent", queryString=STATEMENT, **attributes) == expected


def test_a_date_is_written_in_the_format_that_is_asked_for(api, contents):
    found = ask(api, "sqlContent", queryString=STATEMENT, type="addDate", formatString="yyyy年M月d日")
    assert found == f"{contents.add_date.year}年{contents.add_date.month}月{contents.add_date.day}日"
    assert ask(api, "sqlContent", queryString=STATEMENT, type="addDate") == f"{contents.add_date:%Y-%m-%d %H:%M:%S}"


def test_a_statement_that_is_not_allowed_is_refused_as_in_the_list(api):
    refused(api, "sqlContent", "sql_not_allowed", queryString="DROP TABLE siteserver_Site", type="id")
