"""`navigationUrl` of channels that have a page of their own."""

from datetime import datetime

import pytest

from channels_app.models import Channel
from channels_app.page_paths import PageFacts, Pages
from sites.models import Site
from sites.page_rules import MAX_PATH
from tests.factories import ChannelFactory, ContentFactory, SiteFactory

pytestmark = pytest.mark.django_db


def address(channel):
    return f"/api/v1/channels/{channel.site_id}/{channel.pk}"


def get(api, channel):
    response = api.get(address(channel))
    assert response.status_code == 200, response.content
    return response.json()["value"]["navigationUrl"]


def put(api, channel, **members):
    response = api.put(address(channel), members)
    assert response.status_code == 200, response.content
    return response.json()["value"]["navigationUrl"]


def of_site(api, site):
    """The addresses of all channels below the home channel, by channel, out of the list."""
    response = api.get(f"/api/v1/channels/{site.pk}")
    assert response.status_code == 200, response.content
    found, waiting = {}, response.json()["value"]
    while waiting:
        record = waiting.pop()
        found[record["id"]] = record["navigationUrl"]
        waiting += record["children"]
    return found


SITES = [
    ({"site_dir": "museum"}, "/museum"),
    ({"site_dir": "", "is_root": True}, ""),
    ({"settings": {"isSeparatedWeb": True, "separatedWebUrl": "https://m.example/"}}, "https://m.example"),
    ({"settings": {"isSeparatedWeb": True, "separatedWebUrl": "https://m.example/a"}}, "https://m.example/a"),
]


@pytest.mark.parametrize("fields,web_url", SITES)
def test_an_address_begins_with_the_site_s(api, fields, web_url):
    site = SiteFactory(**fields)
    channel = ChannelFactory(site=site)
    below = ChannelFactory(parent=channel)
    assert get(api, Channel.objects.get(pk=site.pk)) == f"{web_url}/index.html"
    assert get(api, channel) == f"{web_url}/channels/{channel.pk}.html"
    assert of_site(api, site) == {one.pk: f"{web_url}/channels/{one.pk}.html" for one in (channel, below)}


def test_a_site_below_another_follows_it(api):
    parent = SiteFactory(site_dir="a")
    site = SiteFactory(site_dir="b", parent=parent)
    channel = ChannelFactory(site=site)
    assert get(api, channel) == f"/a/b/channels/{channel.pk}.html"
    parent = Site.objects.get(pk=parent.pk)
    parent.settings = {"isSeparatedWeb": True, "separatedWebUrl": "https://m.example/"}
    parent.save()
    assert get(api, channel) == f"https://m.example/b/channels/{channel.pk}.html"
    parent.settings = {}
    parent.site_dir = "c"
    parent.save()
    assert get(api, channel) == f"/c/b/channels/{channel.pk}.html"


@pytest.mark.parametrize("fields", [
    {"link_url": "https://x.example/"},
    {"file_path": "/x.html"},
    {"link_type": "NoLink"},
    {"link_type": "LinkToFirstChannel"},
    {"link_type": "LinkToFirstContent"},
    {"channel_file_path_rule": "/x.html"},
])  # fmt: skip
def test_the_home_channel_has_the_index_page(api, fields):
    site = SiteFactory(site_dir="museum")
    ContentFactory(channel=ChannelFactory(site=site), is_checked=True)
    Channel.objects.filter(pk=site.pk).update(**fields)
    assert get(api, Channel.objects.get(pk=site.pk)) == "/museum/index.html"


@pytest.mark.parametrize("fields,expected", [
    ({"linkUrl": "https://x.example/a?b#c"}, "https://x.example/a?b#c"),
    ({"linkUrl": "@/x.html"}, "/museum/x.html"),
    ({"linkUrl": "~/x.html"}, "/x.html"),
    ({"linkUrl": "/x.html"}, "/x.html"),
    ({"linkUrl": "x"}, "x"),
    ({"filePath": "/a.html"}, "/museum/a.html"),
    ({"filePath": "a.html"}, "/museum/a.html"),
    ({"filePath": "@/a.html"}, "/museum/a.html"),
    ({"filePath": "~/a.html"}, "/a.html"),
    ({"filePath": "/a"}, "/museum/a/index.html"),
    ({"filePath": "//a/b.html"}, "/museum/a/b.html"),
    ({"linkUrl": "@/x.html", "filePath": "/a.html", "channelFilePathRule": "/r.html"}, "/museum/x.html"),
    ({"filePath": "/a.html", "channelFilePathRule": "/r.html"}, "/museum/a.html"),
    ({"channelFilePathRule": "/r.html"}, "/museum/r.html"),
    ({"linkUrl": "@/x.html", "linkType": "NoLink"}, "javascript:;"),
])  # fmt: skip
def test_link_file_and_rule_name_the_page(api, fields, expected):
    channel = ChannelFactory(site=SiteFactory(site_dir="museum"))
    assert put(api, channel, **fields) == expected
    assert get(api, channel) == expected
    assert of_site(api, channel.site) == {channel.pk: expected}


@pytest.mark.parametrize("rule,expected", [
    ("/{@channelId}.html", "/{pk}.html"),
    ("/{@CHANNELID}/{@channelid}.html", "/{pk}/{pk}.html"),
    ("x/{@ChannelId}.html", "/x/{pk}.html"),
    ("//x///{@channelId}.html", "/x/{pk}.html"),
    ("/{@year}-{@month}-{@day}/{@hour}.{@minute}.{@second}.html", "/2018-3-4/5.6.7.html"),
    ("/{@YEAR}/{@Month}.html", "/2018/3.html"),
    ("/{@channelName}.html", "/Fine Arts.html"),
    ("/{@lowerChannelName}.html", "/fine arts.html"),
    ("/{@channelIndex}/{@lowerCHANNELindex}.html", "/FineArts/finearts.html"),
    ("/{@colour}/{@LOWERColour}.html", "/Red Blue/red blue.html"),
    ("/{@Colour}{@COLOUR}.html", "/Red BlueRed Blue.html"),
    ("/{@isNew}/{@size}.html", "/True/12.html"),
    ("/{@list}{@map}{@none}{@unknown}{@contentId}.html", "/.html"),
    ("/({@unknown}|{@channelId}).html", "/{pk}.html"),
    ("/({@channelIndex}|{@channelId}).html", "/FineArts.html"),
    ("/{@sequence}.html", "/1.html"),
    ("/it's 100%.html", "/it's 100%25.html"),
])  # fmt: skip
def test_a_rule_has_tokens(api, rule, expected):
    channel = ChannelFactory(
        site=SiteFactory(site_dir="museum"),
        channel_name="Fine: Arts?",
        index_name="FineArts",
        add_date=datetime(2018, 3, 4, 5, 6, 7),
        settings={"colour": "Red Blue", "isNew": True, "size": 12, "list": [1], "map": {}, "none": None},
        channel_file_path_rule=rule,
    )
    assert get(api, channel) == "/museum" + expected.replace("{pk}", str(channel.pk))


@pytest.mark.parametrize("name", ["'\"<>|?*#%:\\\r\n\t", "</script>", "it's 50%", "a/b"])
def test_names_lose_what_no_address_has(api, name):
    channel = ChannelFactory(channel_name=name, channel_file_path_rule="/{@channelName}/{@channelId}.html")
    kept = "".join(letter for letter in name if letter not in "'\"<>|?*#%:\\\r\n\t")
    expected = f"{channel.site.web_url}/{kept}/{channel.pk}.html"
    while "//" in expected:
        expected = expected.replace("//", "/")
    assert get(api, channel) == expected


def test_the_sequence_counts_the_siblings_behind(api):
    parent = ChannelFactory(site=SiteFactory(site_dir="museum"), channel_file_path_rule="/{@sequence}.html")
    site = parent.site
    children = [ChannelFactory(parent=parent) for _ in range(3)]
    ChannelFactory(parent=children[0])
    gone = ChannelFactory(parent=parent)
    ChannelFactory(site=site, channel_file_path_rule="/{@sequence}.html")
    assert [get(api, child) for child in children] == ["/museum/4.html", "/museum/3.html", "/museum/2.html"]
    assert api.delete(address(gone)).status_code == 200
    assert [get(api, child) for child in children] == ["/museum/3.html", "/museum/2.html", "/museum/1.html"]
    assert get(api, parent) == "/museum/2.html"
    moved = api.post(f"{address(children[2])}/actions/move", {"before": children[0].pk})
    assert moved.status_code == 200
    assert [get(api, child) for child in children] == ["/museum/2.html", "/museum/1.html", "/museum/3.html"]


def test_the_parent_s_rule_gives_its_directory(api):
    site = SiteFactory(site_dir="museum")
    parent = ChannelFactory(site=site, channel_file_path_rule="/arts/{@channelName}/index.html", channel_name="Fine")
    child = ChannelFactory(parent=parent, channel_file_path_rule="{@parentRule}/{@channelId}/list.html")
    below = ChannelFactory(parent=child)
    aside = ChannelFactory(parent=parent, channel_file_path_rule="/{@PARENTRULE}/x.html", link_url="@/link")
    assert get(api, child) == f"/museum/arts/Fine/{child.pk}/list.html"
    assert get(api, below) == f"/museum/arts/Fine/{child.pk}/{below.pk}/list.html"
    assert get(api, aside) == "/museum/link"
    assert put(api, parent, channelName="Modern") == "/museum/arts/Modern/index.html"
    assert get(api, below) == f"/museum/arts/Modern/{child.pk}/{below.pk}/list.html"
    # A link or a file of the parent's own is not its rule.
    put(api, parent, linkUrl="https://x.example/y/z", filePath="/q/r.html")
    assert get(api, child) == f"/museum/arts/Modern/{child.pk}/list.html"


def test_a_rule_comes_from_the_channel_the_nearest_above_the_site_or_is_built_in(api):
    site = SiteFactory(site_dir="museum")
    parent = ChannelFactory(site=site)
    child = ChannelFactory(parent=parent)
    leaf = ChannelFactory(parent=child)
    home = Channel.objects.get(pk=site.pk)

    def assert_rule(expected):
        assert get(api, leaf) == expected.format(leaf.pk)
        assert of_site(api, site)[leaf.pk] == expected.format(leaf.pk)

    assert_rule("/museum/channels/{}.html")
    Site.objects.filter(pk=site.pk).update(settings={"channelFilePathRule": "/site/{@channelId}.html"})
    assert_rule("/museum/site/{}.html")
    for channel, name in [(home, "home"), (parent, "parent"), (child, "child"), (leaf, "leaf")]:
        put(api, channel, channelFilePathRule=f"/{name}/{{@channelId}}.html")
        assert_rule(f"/museum/{name}/{{}}.html")
    assert get(api, child) == f"/museum/child/{child.pk}.html"
    assert get(api, parent) == f"/museum/parent/{parent.pk}.html"
    for channel, name in [(leaf, "child"), (child, "parent"), (parent, "home"), (home, "site")]:
        put(api, channel, channelFilePathRule="")
        assert_rule(f"/museum/{name}/{{}}.html")
    Site.objects.filter(pk=site.pk).update(settings={})
    assert_rule("/museum/channels/{}.html")


def test_the_rule_of_contents_does_not_name_channels(api):
    channel = ChannelFactory(content_file_path_rule="/x/{@contentId}.html")
    assert get(api, channel) == f"{channel.site.web_url}/channels/{channel.pk}.html"


def test_a_moved_channel_takes_the_rule_of_its_new_place(api):
    site = SiteFactory(site_dir="museum")
    one, other = (ChannelFactory(site=site, channel_file_path_rule=f"/{name}/{{@channelId}}.html") for name in "ab")
    channel = ChannelFactory(parent=one)
    assert get(api, channel) == f"/museum/a/{channel.pk}.html"
    response = api.post(f"{address(channel)}/actions/move", {"parentId": other.pk})
    assert response.json()["value"]["navigationUrl"] == f"/museum/b/{channel.pk}.html"
    assert get(api, channel) == f"/museum/b/{channel.pk}.html"


def test_create_update_and_delete_answer_the_address(api):
    site = SiteFactory(site_dir="museum")
    members = {"channelName": "x", "channelFilePathRule": "/{@channelName}.html"}
    created = api.post(f"/api/v1/channels/{site.pk}", members).json()["value"]
    assert created["navigationUrl"] == "/museum/x.html"
    channel = Channel.objects.get(pk=created["id"])
    assert put(api, channel, channelName="y") == "/museum/y.html"
    assert api.delete(address(channel)).json()["value"]["navigationUrl"] == "/museum/y.html"


def test_a_warm_read_is_one_statement_whatever_the_tree(api, django_assert_num_queries):
    site = SiteFactory()
    api.get(f"/api/v1/channels/{site.pk}")
    for _ in range(2):
        for place in range(20):
            ChannelFactory(site=site, channel_file_path_rule=f"/{place}/{{@sequence}}.html")
        api.get(f"/api/v1/channels/{site.pk}")
        with django_assert_num_queries(1):  # the site's number
            api.get(f"/api/v1/channels/{site.pk}")


def test_a_rule_that_doubles_its_parent_s_stays_within_bounds():
    rule = "/{@parentRule}/{@parentRule}/{@channelId}/x.html"
    channels = [PageFacts(pk, pk - 1, "", "", "2018-01-01 00:00:00", "", "", {}) for pk in range(1, 200)]
    pages = Pages(channels, {"channelFilePathRule": rule})
    assert pages.channel_path(2) == "/1/1/2/x.html"
    assert max(len(pages.channel_path(pk)) for pk in pages.channel_ids) < 5000


def test_a_rule_that_repeats_the_parents_path_stays_within_bounds(api):
    site = SiteFactory(site_dir="deep")
    parent = Channel.objects.get(pk=site.pk)
    for _ in range(12):
        parent = ChannelFactory(parent=parent)
    rule = "/aaaaaaaaaaaaaa/" + "{@parentRule}" * 30 + "/x.html"
    assert api.put(f"/api/v1/channels/{site.pk}/0", {"channelFilePathRule": rule}).status_code == 200
    answer = api.get(f"/api/v1/channels/{site.pk}/{parent.pk}").json()["value"]
    assert len(answer["navigationUrl"]) == len("/deep") + MAX_PATH
    content = ContentFactory(channel=parent)
    Channel.objects.filter(pk=site.pk).update(content_file_path_rule=rule)
    listed = api.post("/api/v1/contents", {"siteId": site.pk}).json()["contents"][0]["navigationUrl"]
    assert len(listed) == len("/deep") + MAX_PATH
    where = [{"column": "navigationUrl", "value": listed}]
    found = api.post("/api/v1/contents", {"siteId": site.pk, "wheres": where}).json()["contents"]
    assert [record["id"] for record in found] == [content.pk]
