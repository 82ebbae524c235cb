"""`navigationUrl` of contents: links, and pages named by rules."""

from datetime import datetime

import pytest

from channels_app.models import Channel
from sites.models import Site
from tests.contents.asking import read
from tests.factories import ChannelFactory, ContentFactory, SiteFactory

pytestmark = pytest.mark.django_db


def path(content):
    return f"/api/v1/contents/{content.site_id}/{content.channel_id}/{content.pk}"


def get(api, content):
    response = api.get(path(content))
    assert response.status_code == 200, response.content
    return response.json()["value"]["navigationUrl"]


def assert_address(api, content, expected):
    """The content and the list of its site answer this very address."""
    assert get(api, content) == expected
    listed = {record["id"]: record["navigationUrl"] for record in read(api, content.site, perPage=1000)["contents"]}
    assert listed[content.pk] == expected


@pytest.mark.parametrize("link,expected", [
    ("https://x.example/a?b#c", "https://x.example/a?b#c"),
    ("@/x.html", "/museum/x.html"),
    ("~/x.html", "/x.html"),
    ("@/", "/museum/"),
    ("@x", "@x"),
    ("/x//y", "/x//y"),
])  # fmt: skip
def test_a_link_comes_before_the_page(api, link, expected):
    site = SiteFactory(site_dir="museum", settings={"contentFilePathRule": "/x/{@contentId}.html"})
    assert_address(api, ContentFactory(channel=ChannelFactory(site=site), link_url=link), expected)


@pytest.mark.parametrize("rule,expected", [
    ("/{@channelId}/{@contentId}.html", "/{channel}/{pk}.html"),
    ("/{@CHANNELID}/{@contentid}.html", "/{channel}/{pk}.html"),
    ("/{@id}/{@siteId}.html", "/{pk}/{site}.html"),
    ("x/{@contentId}.html", "/x/{pk}.html"),
    ("//x///{@contentId}.html", "/x/{pk}.html"),
    ("/{@year}-{@month}-{@day}/{@hour}.{@minute}.{@second}.html", "/2018-03-04/5.6.7.html"),
    ("/{@Year}{@MONTH}{@dAy}.html", "/20180304.html"),
    ("/{@sequence}.html", "/1.html"),
    ("/{@channelName}/{@LowerChannelName}.html", "/Fine Arts/fine arts.html"),
    ("/{@channelIndex}/{@lowerChannelIndex}.html", "/FineArts/finearts.html"),
    ("/{@parentRule}/{@contentId}.html", "/arts/{pk}.html"),
    ("/{@title}/{@LOWERTITLE}.html", "/A & B/a & b.html"),
    ("/{@author}{@lowerAuthor}{@source}.html", "/.html"),
    ("/{@colour}/{@lowerColour}/{@COLOUR}.html", "/Red/red/Red.html"),
    ("/{@isNew}/{@size}/{@price}.html", "/True/12/9.5.html"),
    ("/{@list}{@map}{@none}{@unknown}{@lowerUnknown}.html", "/.html"),
    ("/{@isTop}/{@lowerIsChecked}/{@hits}.html", "/True/false/3.html"),
    ("/{@addDate}/{@lastHitsDate}.html", "/2018-03-04 050607/.html"),
    ("/{@imageUrl}.html", "/museum/a.png.html"),
    ("/{@content}{@settingsXml}{@navigationUrl}.html", "/.html"),
    ("/({@author}|{@contentId}).html", "/{pk}.html"),
    ("/({@title}|{@contentId}).html", "/A & B.html"),
    ("/({@author}|{@source}|none).html", "/none.html"),
    ("/({@author}|).html", "/.html"),
    ("/it's 100% \\.html", "/it's 100%25 \\.html"),
])  # fmt: skip
def test_a_rule_has_tokens(api, rule, expected):
    parent = ChannelFactory(site=SiteFactory(site_dir="museum"), channel_file_path_rule="/arts/x.html")
    channel = ChannelFactory(
        parent=parent, channel_name="Fine: Arts?", index_name="FineArts", content_file_path_rule=rule
    )
    content = ContentFactory(
        channel=channel,
        title="A & B",
        add_date=datetime(2018, 3, 4, 5, 6, 7),
        is_top=True,
        hits=3,
        image_url="@/a.png",
        content="body",
        settings_xml='{"colour":"Red","isNew":true,"size":12,"price":9.5,"list":[1],"map":{},"none":null}',
    )
    filled = expected.replace("{pk}", str(content.pk)).replace("{channel}", str(channel.pk))
    assert_address(api, content, "/museum" + filled.replace("{site}", str(content.site_id)))


def test_values_lose_what_no_address_has(api):
    channel = ChannelFactory(site=SiteFactory(site_dir="museum"), content_file_path_rule="/{@title}/{@text}.html")
    content = ContentFactory(channel=channel, title="'\"<>|?*#%:\\a/b\r\n\t", settings_xml='{"text":"</script>%"}')
    assert_address(api, content, "/museum/a/b/script.html")


def test_the_sequence_counts_approved_contents_of_the_channel_before(api):
    channel = ChannelFactory(site=SiteFactory(site_dir="museum"), content_file_path_rule="/{@sequence}.html")
    figures = [(5, True), (3, True), (3, True), (4, False), (1, True), (-2, True), (5, False), (2**53 - 1, True)]
    contents = [ContentFactory(channel=channel, taxis=taxis, is_checked=checked) for taxis, checked in figures]
    ContentFactory(channel=channel, taxis=0, is_checked=True, trashed_at=datetime(2020, 1, 1))
    ContentFactory(channel=ChannelFactory(parent=channel), taxis=0, is_checked=True)
    for content, number in zip(contents, [5, 3, 3, 5, 2, 1, 5, 6], strict=True):
        assert_address(api, content, f"/museum/{number}.html")
    # Also on a page that holds only some of them.
    pages = [read(api, channel.site, channelId=channel.pk, perPage=2, page=page)["contents"] for page in (1, 2, 3)]
    found = {record["id"]: record["navigationUrl"] for page in pages for record in page}
    numbers = dict(zip((one.pk for one in contents), [5, 3, 3, 5, 2, 1, 5, 6], strict=True))
    assert len(found) == 6
    assert all(found[pk] == f"/museum/{numbers.get(pk, 1)}.html" for pk in found)


def test_a_rule_comes_from_the_channel_the_nearest_above_the_site_or_is_built_in(api):
    site = SiteFactory(site_dir="museum")
    parent = ChannelFactory(site=site)
    channel = ChannelFactory(parent=parent)
    home = Channel.objects.get(pk=site.pk)
    content, of_home = ContentFactory(channel=channel), ContentFactory(channel=home)

    def assert_rule(name):
        assert_address(api, content, f"/museum/{name}{content.pk}.html")

    def set_rule(channel, rule):
        response = api.put(f"/api/v1/channels/{site.pk}/{channel.pk}", {"contentFilePathRule": rule})
        assert response.status_code == 200, response.content

    assert_rule(f"contents/{channel.pk}/")
    assert_address(api, of_home, f"/museum/contents/{site.pk}/{of_home.pk}.html")
    Site.objects.filter(pk=site.pk).update(settings={"contentFilePathRule": "/site/{@contentId}.html"})
    assert_rule("site/")
    for one, name in [(home, "home"), (parent, "parent"), (channel, "own")]:
        set_rule(one, f"/{name}/{{@contentId}}.html")
        assert_rule(f"{name}/")
    assert_address(api, of_home, f"/museum/home/{of_home.pk}.html")
    for one, name in [(channel, "parent/"), (parent, "home/"), (home, "site/")]:
        set_rule(one, "")
        assert_rule(name)
    Site.objects.filter(pk=site.pk).update(settings={})
    assert_rule(f"contents/{channel.pk}/")
    Channel.objects.filter(pk=parent.pk).update(channel_file_path_rule="/only/channels/{@channelId}.html")
    assert_rule(f"contents/{channel.pk}/")


@pytest.mark.parametrize("rule", ["", "/{@channelName}/{@contentId}.html"])
@pytest.mark.parametrize("fields,web_url", [
    ({"site_dir": "museum"}, "/museum"),
    ({"site_dir": "", "is_root": True}, ""),
    ({"settings": {"isSeparatedWeb": True, "separatedWebUrl": "https://m.example/"}}, "https://m.example"),
])  # fmt: skip
def test_an_address_begins_with_the_site_s(api, rule, fields, web_url):
    channel = ChannelFactory(site=SiteFactory(**fields), channel_name="x", content_file_path_rule=rule)
    content = ContentFactory(channel=channel)
    expected = f"/x/{content.pk}.html" if rule else f"/contents/{channel.pk}/{content.pk}.html"
    assert_address(api, content, web_url + expected)


def test_a_site_below_another_follows_it(api):
    parent = SiteFactory(site_dir="a")
    site = SiteFactory(site_dir="b", parent=parent, settings={"contentFilePathRule": "/{@contentId}.html"})
    content = ContentFactory(channel=ChannelFactory(site=site))
    assert_address(api, content, f"/a/b/{content.pk}.html")
    parent = Site.objects.get(pk=parent.pk)
    parent.settings = {"isSeparatedWeb": True, "separatedWebUrl": "https://m.example/"}
    parent.save()
    assert_address(api, content, f"https://m.example/b/{content.pk}.html")


def test_a_renamed_or_moved_channel_names_its_contents_anew(api):
    rule = "/{@parentRule}/{@channelName}/{@contentId}.html"
    site = SiteFactory(site_dir="museum", settings={"contentFilePathRule": rule})
    one = ChannelFactory(site=site, channel_file_path_rule="/one/x.html")
    other = ChannelFactory(site=site, channel_file_path_rule="/other/x.html")
    channel = ChannelFactory(parent=one, channel_name="a")
    content = ContentFactory(channel=channel)
    assert_address(api, content, f"/museum/one/a/{content.pk}.html")
    api.put(f"/api/v1/channels/{site.pk}/{channel.pk}", {"channelName": "b"})
    assert_address(api, content, f"/museum/one/b/{content.pk}.html")
    api.post(f"/api/v1/channels/{site.pk}/{channel.pk}/actions/move", {"parentId": other.pk})
    assert_address(api, content, f"/museum/other/b/{content.pk}.html")


def test_create_update_check_and_delete_answer_the_address(api):
    rule = "/{@year}/({@colour}|{@title})-{@sequence}-{@isChecked}.html"
    channel = ChannelFactory(site=SiteFactory(site_dir="museum"), content_file_path_rule=rule)
    place = f"/api/v1/contents/{channel.site_id}/{channel.pk}"
    ContentFactory(channel=channel, is_checked=True, taxis=0)

    def value(response):
        assert response.status_code == 200, response.content
        return response.json()["value"]

    made = value(api.post(place, {"title": "a", "addDate": "2018-01-02 03:04:05", "taxis": 9}))
    assert made["navigationUrl"] == "/museum/2018/a-2-False.html"
    path = f"{place}/{made['id']}"
    assert value(api.put(path, {"Colour": "Red"}))["navigationUrl"] == "/museum/2018/Red-2-False.html"
    checked = api.post("/api/v1/contents/check", {
        "siteId": channel.site_id, "contents": [{"channelId": channel.pk, "id": made["id"]}]
    })  # fmt: skip
    assert checked.json()["contents"][0]["navigationUrl"] == "/museum/2018/Red-2-True.html"
    assert value(api.put(path, {"linkUrl": "@/x"}))["navigationUrl"] == "/museum/x"
    assert value(api.put(path, {"linkUrl": ""}))["navigationUrl"] == "/museum/2018/Red-2-True.html"
    assert value(api.delete(path))["navigationUrl"] == "/museum/2018/Red-2-True.html"
    linked = value(api.post(place, {"title": "a", "linkUrl": "~/x"}))
    assert linked["navigationUrl"] == "/x"


@pytest.mark.parametrize("rule", ["", "/{@title}/{@channelName}.html", "/{@sequence}.html", "/{@colour}.html"])
def test_a_list_takes_as_many_statements_for_many_rows_as_for_few(api, django_assert_num_queries, rule):
    site = SiteFactory()
    channels = [ChannelFactory(site=site, content_file_path_rule=rule) for _ in range(3)]
    for channel in channels:
        ContentFactory(channel=channel, is_checked=True)
    read(api, site, perPage=1000)
    with django_assert_num_queries(2 if "sequence" in rule else 1):
        assert len(read(api, site, perPage=1000)["contents"]) == 3
    for place in range(47):
        ContentFactory(channel=channels[place % 3], is_checked=True)
    with django_assert_num_queries(2 if "sequence" in rule else 1):
        assert len(read(api, site, perPage=1000)["contents"]) == 50
