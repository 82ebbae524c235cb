"""`GET /stl/sqlContents`: the rows of a client's SELECT over HTTP, through a real child process."""

import json
import threading

import pytest
from django.db import connection

from channels_app.services import trash_channel
from tests.assertions import assert_error
from tests.clients import ApiClient
from tests.factories import ChannelFactory, ContentFactory, SiteFactory
from tests.stl.asking import MISSING, ask, path, refused

# The sandbox reads by a connection of its own, which sees what is committed.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("sql_reader")]

# With forty channels, more rows than any machine counts in time.
CROSSED = "SELECT COUNT(*) FROM " + ", ".join(f"siteserver_Channel {letter}" for letter in "abcdefg")


def rows(client, statement, **more):
    return ask(client, "sqlContents", queryString=statement, **more)


@pytest.fixture
def site():
    return SiteFactory(site_name="我的站点", site_dir="test2", settings={"charset": "utf-8", "pageSize": 3})


def test_the_rows_of_the_site_table_are_those_of_the_published_sample(api, site):
    [row] = rows(api, "SELECT * FROM siteserver_Site")
    members = ["id", "siteName", "siteDir", "tableName", "isRoot", "parentId", "taxis", "settingsXml"]
    assert list(row) == members
    settings = row.pop("settingsXml")
    assert row == {
        "id": site.pk,
        "siteName": "我的站点",
        "siteDir": "test2",
        "tableName": f"siteserver_Content_{site.pk}",
        "isRoot": "False",
        "parentId": 0,
        "taxis": site.taxis,
    }
    assert sorted(settings.split("&")) == ["charset=utf-8", "pagesize=3"]


def test_the_element_has_any_letter_case_and_so_have_its_parameters(api, site):
    assert ask(api, "SQLCONTENTS", QUERYSTRING="select ID from SITESERVER_SITE") == [{"id": site.pk}]


def test_no_row_is_an_empty_list(api):
    assert rows(api, "SELECT Id FROM siteserver_Content") == []


def test_flags_dates_and_numbers_have_the_types_of_the_interface(api, site):
    content = ContentFactory(channel=ChannelFactory(site=site), is_top=True, hits=7, last_hits_date=None)
    values = "IsTop, IsHot, AddDate, LastHitsDate, Hits, Hits / 2.0 AS Half, Hits > 5 AS Many"
    [row] = rows(api, f"SELECT {values} FROM siteserver_Content")
    assert row == {
        "isTop": "True",
        "isHot": "False",
        "addDate": f"{content.add_date:%Y-%m-%d %H:%M:%S}",
        "lastHitsDate": None,
        "hits": 7,
        "half": 3.5,
        "many": True,
    }


def test_what_was_written_a_moment_ago_is_there(api, site):
    statement = "SELECT COUNT(*) AS n FROM siteserver_Content"
    assert rows(api, statement) == [{"n": 0}]
    ContentFactory(channel=ChannelFactory(site=site))
    assert rows(api, statement) == [{"n": 1}]


def test_a_channel_of_the_trash_is_absent_with_its_contents(api, site):
    channel = ChannelFactory(site=site)
    ContentFactory(channel=channel)
    trash_channel(site.pk, channel.pk)
    assert rows(api, f"SELECT Id FROM siteserver_Channel WHERE Id = {channel.pk}") == []
    assert rows(api, "SELECT Id FROM siteserver_Content") == []


def test_the_contents_of_a_site_have_its_table_name(api, site):
    wanted, _ = ContentFactory(channel=ChannelFactory(site=site)), ContentFactory()
    assert rows(api, f"SELECT Id FROM siteserver_Content_{site.pk}") == [{"id": wanted.pk}]


# ---- keys


def test_the_key_needs_the_scope_of_sql(client_with_key):
    refusal = assert_error(client_with_key(scopes="STL:write").get(path("sqlContents", queryString="SELECT 1")), 401)
    assert refusal["scope"] == "SQL:read"


def test_a_key_of_one_site_sees_the_rows_of_that_site(client_with_key, site):
    mine, other = ContentFactory(channel=ChannelFactory(site=site)), ContentFactory()
    client = client_with_key(scopes="SQL:read", site_ids=str(site.pk))
    assert rows(client, "SELECT Id FROM siteserver_Site") == [{"id": site.pk}]
    assert rows(client, "SELECT Id FROM siteserver_Content") == [{"id": mine.pk}]
    assert rows(client, f"SELECT Id FROM siteserver_Content WHERE SiteId = {other.site_id}") == []
    assert rows(client, "SELECT DISTINCT SiteId FROM siteserver_Channel") == [{"siteId": site.pk}]


def test_a_key_of_one_site_does_not_know_the_tables_of_another(client_with_key, site):
    client = client_with_key(scopes="SQL:read", site_ids=str(site.pk))
    hidden = refused(client, "sqlContents", "sql_not_allowed", queryString=f"SELECT Id FROM {SiteFactory().table_name}")
    unknown = refused(client, "sqlContents", "sql_not_allowed", queryString="SELECT Id FROM siteserver_Content_0")
    assert hidden["message"].split("siteserver_Content_")[0] == unknown["message"].split("siteserver_Content_")[0]


# ---- the window


@pytest.mark.parametrize(
    "window,expected",
    [
        ({}, "cbad"),
        ({"totalNum": 2}, "cb"),
        ({"startNum": 2}, "bad"),
        ({"startNum": 2, "totalNum": 2}, "ba"),
        ({"startNum": 0, "totalNum": 1}, "c"),
        ({"startNum": 9, "totalNum": 1}, ""),
        ({"startNum": "x", "totalNum": "-1"}, "cbad"),
        ({"order": "Title"}, "abcd"),
        ({"order": "ORDER BY title DESC", "totalNum": 2}, "dc"),
        ({"order": "TITLE DESC", "startNum": 2, "totalNum": 2}, "cb"),
        ({"order": "hits, title desc"}, "dcba"),
    ],
)
def test_the_window_counts_from_startnum_in_the_order_that_is_asked_for(api, site, window, expected):
    channel = ChannelFactory(site=site)
    for title in "cbad":
        ContentFactory(channel=channel, title=title)
    found = rows(api, "SELECT Title, Hits FROM siteserver_Content ORDER BY Id", **window)
    assert "".join(row["title"] for row in found) == expected


def test_the_window_lies_inside_the_limit_of_the_statement(api, site):
    channel = ChannelFactory(site=site)
    for title in "abcd":
        ContentFactory(channel=channel, title=title)
    statement = "SELECT TOP 3 Title FROM siteserver_Content ORDER BY Title"
    assert rows(api, statement, startNum=3, totalNum=5) == [{"title": "c"}]
    assert rows(api, statement, order="title desc", totalNum=1) == [{"title": "c"}]


def test_an_order_is_by_columns_of_the_result(api):
    statement = "SELECT Title FROM siteserver_Content"
    refused(api, "sqlContents", "sql_not_allowed", queryString=statement, order="Hits")
    for order in ("Title; DROP TABLE x", "1 UNION SELECT 1", "(SELECT 1)", "length(Title)"):
        response = api.get(path("sqlContents", queryString=statement, order=order))
        assert_error(response, 400)


# ---- refusals


@pytest.mark.parametrize("query", [{}, {"queryString": ""}, {"queryString": "  "}])
def test_a_statement_is_required(api, query):
    refusal = refused(api, "sqlContents", "missing_member", query)
    assert refusal["member"] == "queryString"


@pytest.mark.parametrize(
    "statement,code",
    [
        ("DELETE FROM siteserver_Site", "sql_not_allowed"),
        ("SELECT 1; SELECT 2", "sql_not_allowed"),
        ("SELECT * FROM accounts_administrator", "sql_not_allowed"),
        ("SELECT * FROM siteserver_Administrator", "sql_not_allowed"),
        ("SELECT Nothing FROM siteserver_Site", "sql_not_allowed"),
        ("SELECT FROM WHERE", "sql_syntax"),
        ("SELECT Title FROM siteserver_Content WHERE Title = 'open", "sql_syntax"),
        (f"SELECT {'1,' * 9000}1", "sql_too_large"),
    ],
)
def test_a_refusal_has_a_code_and_a_reason(api, statement, code):
    refused(api, "sqlContents", code, queryString=statement)


def test_another_database_cannot_be_asked(api):
    refused(api, "sqlContents", "invalid_value", queryString="SELECT 1", connectionString="Server=elsewhere")
    assert rows(api, "SELECT 1 AS one", connectionStringName="other") == [{"one": 1}]


def test_a_site_that_is_named_has_to_exist_and_to_be_reached(api, client_with_key, site):
    statement = "SELECT 1 AS one"
    assert rows(api, statement, siteId=site.pk) == rows(api, statement, siteDir="TEST2") == [{"one": 1}]
    refused(api, "sqlContents", "site_not_found", queryString=statement, siteId=MISSING)
    refused(api, "sqlContents", "site_not_found", queryString=statement, siteDir="nowhere")
    limited = client_with_key(scopes="SQL:read", site_ids=str(site.pk))
    assert_error(limited.get(path("sqlContents", queryString=statement, siteId=SiteFactory().pk)), 401)


# ---- limits


def test_an_answer_that_a_limit_cut_short_says_so_in_a_header(api, site, settings):
    channel = ChannelFactory(site=site)
    for title in "abc":
        ContentFactory(channel=channel, title=title, summary=title * 400)
    address = path("sqlContents", queryString="SELECT Summary FROM siteserver_Content ORDER BY Title")
    whole = api.get(address)
    assert len(whole.json()["value"]) == 3 and "X-SQL-Truncated" not in whole.headers
    settings.CMS_SQL_MAX_ROWS = 2
    assert (api.get(address).headers["X-SQL-Truncated"], len(api.get(address).json()["value"])) == ("rows", 2)
    settings.CMS_SQL_MAX_ROWS, settings.CMS_SQL_MAX_BYTES = 1000, 1000
    assert (api.get(address).headers["X-SQL-Truncated"], len(api.get(address).json()["value"])) == ("bytes", 2)


def test_a_browser_may_read_the_header(api):
    response = api.get(path("sqlContents", queryString="SELECT 1"), headers={"Origin": "https://example.org"})
    assert "x-sql-truncated" in response.headers["Access-Control-Expose-Headers"]


def test_a_statement_ends_at_its_time(api, site, impatient_box):
    for _ in range(40):
        ChannelFactory(site=site)
    refused(api, "sqlContents", "sql_timeout", queryString=CROSSED)
    assert rows(api, "SELECT 1 AS one") == [{"one": 1}]


def test_without_slots_the_endpoint_is_closed(api, settings):
    settings.CMS_SQL_SLOTS = 0
    refused(api, "sqlContents", "sql_unavailable", queryString="SELECT 1")


def test_a_statement_too_many_at_once_is_asked_to_come_again(api, site, settings):
    settings.CMS_SQL_SLOTS = 1
    for _ in range(40):
        ChannelFactory(site=site)
    slow = threading.Thread(target=_cross, args=[path("sqlContents", queryString=CROSSED), api.token])
    slow.start()
    answer = None
    while slow.is_alive() and (answer is None or answer.status_code == 200):
        answer = api.get(path("sqlContents", queryString="SELECT 1 AS one"))
    slow.join()
    assert_error(answer, 429, "sql_busy")
    assert answer.headers["Retry-After"] == "1"
    assert rows(api, "SELECT 1 AS one") == [{"one": 1}]


def _cross(address, token):
    try:
        # Until it has the slot, which a short statement may hold.
        while ApiClient(token).get(address).status_code == 429:
            pass
    finally:
        connection.close()


# ---- tables


def test_a_closed_table_is_unknown(api, settings):
    settings.CMS_SQL_TABLES = ["siteserver_Site"]
    refused(api, "sqlContents", "sql_not_allowed", queryString="SELECT Id FROM siteserver_Channel")
    refused(api, "sqlContents", "sql_not_allowed", queryString="SELECT Id FROM siteserver_Content")


def test_the_answer_is_a_value_and_nothing_else(api):
    response = api.get(path("sqlContents", queryString="SELECT 1 AS one, NULL AS none"))
    assert json.loads(response.content) == {"value": [{"one": 1, "none": None}]}
