"""`GET /stl/a`."""

import pytest

from channels_app.models import LinkType
from contents.models import Content
from tests.factories import ChannelFactory, ContentFactory, SiteFactory
from tests.stl.asking import MISSING, ask, path
from tests.worlds import world

pytestmark = pytest.mark.django_db


@world
def content():
    """A content of `lower`, which stands below `upper` of the site in the folder museum."""
    upper = ChannelFactory(site=SiteFactory(site_dir="museum"), index_name="upper", channel_name="Upper",
                           file_path="/upper.html")  # fmt: skip
    lower = ChannelFactory(parent=upper, index_name="lower", file_path="/lower.html")
    return ContentFactory(channel=lower, link_url="/content.html")


ADDRESSES = [
    ("", "/museum/index.html"),
    ("channelId={lower}", "/museum/lower.html"),
    ("channelId={lower}&parent=true", "/museum/upper.html"),
    ("channelId={lower}&upLevel=2", "/museum/index.html"),
    ("channelIndex=upper", "/museum/upper.html"),
    ("channelName=Upper", "/museum/upper.html"),
    ("channelIndex=nothing", "/museum/index.html"),
    ("contentId={content}", "/content.html"),
    ("contentId={content}&channelId={lower}", "/content.html"),
    ("contentId=0", "/museum/index.html"),
    ("contentId=x", "/museum/index.html"),
    # What says that a channel is meant wins over the number of a content …
    ("contentId={content}&channelIndex=upper", "/museum/upper.html"),
    ("contentId={content}&channelName=Upper", "/museum/upper.html"),
    ("contentId={content}&channelIndex=nothing", "/museum/index.html"),
    ("contentId={content}&channelId={lower}&parent=true", "/museum/upper.html"),
    ("contentId={content}&channelId={lower}&topLevel=0", "/museum/index.html"),
    ("contentId={content}&channelId={lower}&context=Channel", "/museum/lower.html"),
    ("contentId={content}&context=site", "/museum/index.html"),
    ("channelId={lower}&context=Site", "/museum/index.html"),
    # … unless it says nothing.
    ("contentId={content}&channelIndex=", "/content.html"),
    ("contentId={content}&parent=false", "/content.html"),
    ("contentId={content}&upLevel=0", "/content.html"),
    ("contentId={content}&context=Each", "/content.html"),
    ("contentId={content}&context=nonsense", "/content.html"),
    # The last of several counts.
    ("contentId={content}&channelIndex=upper&context=Content", "/content.html"),
    ("contentId={content}&context=Content&channelIndex=upper", "/museum/upper.html"),
    # An address that is given.
    ("href=/x.html", "/x.html"),
    ("href=@/x.html", "/museum/x.html"),
    ("href=~/x.html", "/x.html"),
    ("href=https://x.example/&contentId={content}", "https://x.example/"),
    ("href=&contentId={content}", "/content.html"),
    ("href=@/x.html&channelId=999999999", "/museum/x.html"),
    # A host and a query.
    ("host=https://m.example", "https://m.example/museum/index.html"),
    ("host=https://m.example/", "https://m.example/museum/index.html"),
    ("host=https://m.example/&href=x.html", "https://m.example/x.html"),
    ("host=https://m.example&href=https://x.example/a", "https://x.example/a"),
    ("host=", "/museum/index.html"),
    ("queryString=a%3D1%26b%3D2", "/museum/index.html?a=1&b=2"),
    ("queryString=%3Fa%3D1", "/museum/index.html?a=1"),
    ("queryString=%26a%3D1", "/museum/index.html?a=1"),
    ("queryString=%3F", "/museum/index.html"),
    ("channelIndex=lower&queryString=a%3D1", "/museum/lower.html?a=1"),
    ("channelIndex=lower&host=//m.example&queryString=a", "//m.example/museum/lower.html?a"),
]


@pytest.mark.parametrize("query,expected", ADDRESSES)
def test_addresses(api, content, query, expected):
    query = query.format(lower=content.channel_id, content=content.pk)
    assert ask(api, "a", f"siteId={content.site_id}&{query}") == expected


def test_a_page_is_where_the_other_answers_say_it_is(api):
    content = ContentFactory(is_checked=True)
    query = {"siteId": content.site_id, "channelId": content.channel_id}
    assert ask(api, "a", query) == ask(api, "channels", query, scope="Self")[0]["navigationUrl"]
    assert ask(api, "a", query, contentId=content.pk) == ask(api, "contents", query)[0]["navigationUrl"]


@pytest.mark.parametrize("query", [
    {"channelId": MISSING},
    {"contentId": MISSING},
    {"contentId": -1},
    {"context": "Content"},
    {"channelId": MISSING, "upLevel": 1, "host": "https://m.example", "queryString": "a=1"},
])  # fmt: skip
def test_what_is_not_there_is_null(api, content, query):
    assert ask(api, "a", query, siteId=content.site_id) is None


def test_a_content_in_the_trash_is_not_there(api, content):
    Content.objects.update(trashed_at="2020-01-01 00:00")
    assert ask(api, "a", siteId=content.site_id, contentId=content.pk) is None


def test_no_link_is_a_script_without_host_and_query(api):
    channel = ChannelFactory(link_type=LinkType.NO_LINK)
    query = {"siteId": channel.site_id, "channelId": channel.pk}
    assert ask(api, "a", query) == "javascript:;"
    assert ask(api, "a", query, host="https://m.example", queryString="a=1") == "javascript:;"


def test_an_address_that_follows_from_contents_is_that_of_now(api):
    channel = ChannelFactory(link_type=LinkType.LINK_TO_FIRST_CONTENT)
    query = {"siteId": channel.site_id, "channelId": channel.pk}
    assert ask(api, "a", query).endswith(f"/channels/{channel.pk}.html")
    ContentFactory(channel=channel, is_checked=True, link_url="https://x.example/")
    assert ask(api, "a", query) == "https://x.example/"


def test_the_number_of_queries_does_not_grow(api, content, django_assert_max_num_queries):
    addresses = [
        path("a", siteId=content.site_id, channelId=content.channel_id),
        path("a", siteId=content.site_id, contentId=content.pk),
    ]
    for _ in range(2):
        for _ in range(3):
            lower = ChannelFactory(site=content.site, link_type=LinkType.LINK_TO_FIRST_CONTENT)
            ContentFactory(channel=lower, is_checked=True)
        for address in addresses:
            api.get(address)
            with django_assert_max_num_queries(6):
                api.get(address)
