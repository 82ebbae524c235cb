"""Values of template tags and rows of statements through both clients, against a real server."""

import pytest
from cms_client import BadRequest

NEWS = 11


def test_sites_are_read(client):
    (site,) = client.stl.sites()
    assert site["id"] == 1
    assert client.stl.site(siteId=1) == site
    assert client.stl.site(siteName="no site of this name") is None


def test_channels_are_read(client):
    channel = client.stl.channel(channelIndex="news")
    assert channel["id"] == NEWS
    assert NEWS in [each["id"] for each in client.stl.channels(siteId=1)]
    assert client.stl.channel(channelId=10**9) is None


def test_contents_are_read(client):
    newest = client.stl.contents(channelIndex="news", scope="All", order="AddDate", totalNum=2)
    assert len(newest) == 2
    content = client.stl.content(contentId=newest[0]["id"], channelId=newest[0]["channelId"])
    assert content["title"] == newest[0]["title"]
    assert "summary" not in content
    assert client.stl.content(contentId=content["id"], _fields="summary")["summary"] == newest[0]["summary"]
    assert client.stl.content(contentId=10**9) is None


def test_flags_and_several_values_travel(client):
    assert all(each["isTop"] for each in client.stl.contents(scope="All", isTop=True))
    assert {each["id"] for each in client.stl.contents(scope="All", id=[3, 4, 5])} == {3, 4, 5}


@pytest.mark.parametrize(
    ("element", "attributes"),
    [
        ("site", {"type": "siteName"}),
        ("channel", {"channelIndex": "news", "type": "channelName"}),
        ("content", {"contentId": 3, "type": "title", "wordNum": 10}),
        ("value", {"type": "siteName"}),
        ("sqlContent", {"queryString": "SELECT SiteName FROM siteserver_Site", "type": "siteName"}),
    ],
)
def test_one_value_is_a_text(client, element, attributes):
    assert client.stl.text(element, **attributes)


def test_a_value_that_is_nowhere_is_an_empty_text(client):
    assert client.stl.text("content", contentId=10**9, type="title") == ""


def test_addresses_and_numbers(client):
    assert client.stl.address(channelIndex="news").startswith("/")
    assert client.stl.count(channelIndex="news", scope="All") > 0
    assert client.stl.count(type="Channels", scope="All") > 1


def test_rows_of_a_statement(client):
    rows = client.sql.rows("SELECT Id, Title FROM siteserver_Content ORDER BY Id", totalNum=2)
    assert [row["id"] for row in rows] == [1, 2]
    assert rows.is_truncated is False
    assert client.sql.row("SELECT SiteName FROM siteserver_Site") == {"siteName": client.stl.site()["siteName"]}
    assert client.sql.row("SELECT Id FROM siteserver_Site WHERE Id = 0") is None


def test_rows_tell_that_there_are_more(client):
    rows = client.sql.rows(
        "SELECT a.Id FROM siteserver_Content a CROSS JOIN siteserver_Content b CROSS JOIN siteserver_Site c"
    )
    assert len(rows) == 1000
    assert rows.is_truncated is True


def test_a_statement_that_changes_something_is_refused(client):
    with pytest.raises(BadRequest):
        client.sql.rows("DELETE FROM siteserver_Site")
