"""`PUT /channels/{siteId}/{channelId}`."""

from datetime import datetime

import pytest

from channels_app.models import Channel, LinkType
from channels_app.serializers import ChannelSerializer
from channels_app.services import trash_channel, update_channel
from tests.assertions import assert_error
from tests.cases import each_once
from tests.factories import ChannelFactory, ContentFactory, SiteFactory
from tests.worlds import world

pytestmark = pytest.mark.django_db
CUSTOM = {"theme": "dark", "photos": [1, {"a": None}], "isWide": True}


def address(channel, site=None, id=None):
    return f"/api/v1/channels/{channel.site_id if site is None else site}/{channel.pk if id is None else id}"


@world
def channel():
    """A channel in which every member that may be sent has a value of its own."""
    channel = ChannelFactory(
        site=SiteFactory(site_dir="museum"),
        channel_name="Old name",
        content_model_plugin_id="jobs",
        content_related_plugin_ids="a,b",
        index_name="old",
        group_name_collection="g, h",
        add_date=datetime(2018, 1, 20, 13, 47, 46),
        image_url="@/a.png",
        content="<p>Old</p>",
        file_path="@/old/index.html",
        channel_file_path_rule="/old/{@channelId}.html",
        content_file_path_rule="/old/{@contentId}.html",
        link_url="https://example.org/",
        link_type=LinkType.NO_LINK,
        channel_template_id=7,
        content_template_id=8,
        keywords="k",
        description="d",
        settings=CUSTOM | {"isContentAddable": False, "transType": 3},
    )
    ChannelFactory(parent=channel)
    ContentFactory(channel=channel)
    return channel


def get(api, channel):
    return api.get(address(channel)).json()["value"]


def put(api, channel, /, **members):
    response = api.put(address(channel), members)
    assert response.status_code == 200, response.content
    return response.json()["value"]


def refuse(api, channel, /, **members):
    """The sentence of the refusal, after making sure that nothing was changed."""
    before = stored()
    error = assert_error(api.put(address(channel), members), 400)
    assert stored() == before
    return error["message"]


def stored():
    return list(Channel.objects.order_by("pk").values())


def row(channel):
    return Channel.objects.get(pk=channel.pk)


CHANGES = {
    "channelName": "栏目标题2",
    "contentModelPluginId": "",
    "contentRelatedPluginIds": "c",
    "indexName": "栏目索引2",
    "groupNameCollection": "",
    "imageUrl": "https://example.org/b.png",
    "content": "<p>\r\n新</p> ",
    "filePath": "/new.html",
    "channelFilePathRule": "/new/{@channelId}.html",
    "contentFilePathRule": "",
    "linkUrl": "",
    "linkType": "None",
    "channelTemplateId": 362,
    "contentTemplateId": 0,
    "keywords": "x,y",
    "description": "",
}


@each_once(
    ("name,value", CHANGES.items()),
    ("spell", [str, lambda name: name[0].upper() + name[1:], str.lower]),
)
def test_each_member_is_changed_alone(api, channel, name, value, spell):
    before = get(api, channel)
    after = put(api, channel, **{spell(name): value})
    led = {"navigationUrl"} if name == "linkType" else set()
    changed = before | {name: value} | {key: after[key] for key in led}
    # The rule holds for the child's page too.
    after["children"] = changed["children"] = []
    assert after == changed
    assert row(channel).version == channel.version + 1


def test_all_members_are_changed_at_once(api, channel):
    after = put(api, channel, **CHANGES)
    assert {name: after[name] for name in CHANGES} == CHANGES
    assert {name: after[name] for name in CUSTOM} == CUSTOM
    assert row(channel).version == channel.version + 1
    assert row(channel).settings == channel.settings
    assert get(api, channel) == after


def test_the_example_of_the_interface(api, channel):
    after = put(api, channel, channelName="栏目标题2", channelIndex="栏目索引2")
    assert (after["channelName"], after["indexName"]) == ("栏目标题2", "栏目索引2")
    assert "channelIndex" not in after


def test_the_home_channel_is_changed_like_any_other(api, channel):
    home = Channel.objects.get(pk=channel.site_id)
    assert put(api, home, channelName="Start", channelIndex="start")["indexName"] == "start"
    assert api.put(address(home, id=0), {"description": "d"}).json()["value"]["id"] == home.pk
    assert row(home).description == "d"


# ---- what changes nothing


@pytest.mark.parametrize("members", [
    {},
    {"channelName": None, "linkType": None, "filePath": None, "theme": None, "transType": None},
    {"id": 5, "siteId": 5, "parentId": 5, "parentsPath": "5", "parentsCount": 5, "childrenCount": 5, "taxis": 5,
     "lastNode": False, "isLastNode": False, "addDate": "2001-01-01", "navigationUrl": "x", "children": []},
    {"parentId": "x", "taxis": {"a": 1}, "addDate": [], "children": "x", "isLastNode": 7},
    {"contentNum": 9, "additional": {"isContentAddable": True}, "attributes": {"theme": "light"}},
    {"ContentNum": 9, "ADDITIONAL": "x", "Attributes": 1},
    {"indexName": "old", "channelIndex": "old"},
    {"linkType": "nolink"},
    {"filePath": " @/old/index.html "},
    {"isContentAddable": "False", "TransType": "ParentSite"},
])  # fmt: skip
def test_what_is_the_same_or_only_answered_changes_nothing(api, channel, members):
    before = stored()
    put(api, channel, **members)
    assert stored() == before


def test_sending_back_what_was_answered_changes_nothing(api, channel):
    before = stored()
    for each in (channel, Channel.objects.get(pk=channel.site_id)):
        answer = get(api, each)
        assert put(api, each, **answer) == answer
        assert put(api, each, **{name[0].upper() + name[1:]: value for name, value in answer.items()}) == answer
    assert stored() == before


UNFIT_TO_BE_SENT = {
    "channelName": ("channel_name", " "),
    "filePath": ("file_path", "/news"),
    "channelFilePathRule": ("channel_file_path_rule", "/{@channelId}"),
    "contentFilePathRule": ("content_file_path_rule", "/../<{@contentId}>"),
    "linkUrl": ("link_url", "javascript:;"),
    "channelTemplateId": ("channel_template_id", -1),
}


@pytest.mark.parametrize("name", UNFIT_TO_BE_SENT)
def test_what_a_package_brought_may_be_sent_back_with_a_change_of_something_else(api, channel, name):
    column, value = UNFIT_TO_BE_SENT[name]
    Channel.objects.filter(pk=channel.pk).update(**{column: value})
    answer = get(api, channel)
    assert answer[name] == value
    after = put(api, channel, **answer | {"keywords": "new"})
    assert after == answer | {"keywords": "new"}
    assert row(channel).version == channel.version + 1


def test_a_setting_out_of_its_range_may_be_sent_back(api, channel):
    Channel.objects.filter(pk=channel.pk).update(settings={"transSiteId": -5, "defaultTaxisType": "Unknown"})
    answer, before = get(api, channel), stored()
    sent = {"transSiteId": -5, "defaultTaxisType": "Unknown"}
    assert put(api, channel, **answer, **sent) == answer
    assert stored() == before
    refuse(api, channel, defaultTaxisType="Another")


def test_an_image_is_kept_as_it_is_stored_and_answered_as_an_address(api, channel):
    assert put(api, channel, imageUrl="@/b.png")["imageUrl"] == "/museum/b.png"
    assert put(api, channel, imageUrl="/museum/b.png", keywords="x")["imageUrl"] == "/museum/b.png"
    assert row(channel).image_url == "@/b.png"


@pytest.mark.parametrize("sent", ["/" + "a" * 488, "/" + "a" * 494 + ".html"])
def test_the_longest_file_path_may_be_sent_back(api, channel, sent):
    assert "500" in refuse(api, channel, filePath="/a" + sent)
    answer = put(api, channel, filePath=sent)
    assert len(answer["filePath"]) == 500
    before = stored()
    assert put(api, channel, **answer) == answer
    assert stored() == before


# ---- index names


def test_an_index_is_unique_in_its_site(api, channel):
    other = ChannelFactory(site=channel.site, channel_name="News", index_name="news")
    for name in ("indexName", "ChannelIndex"):
        message = refuse(api, channel, **{name: "news"})
        assert message == f'indexName "news" already belongs to channel {other.pk} (News).'
    home = Channel.objects.get(pk=channel.site_id)
    assert "indexName" in refuse(api, home, indexName="news")


@pytest.mark.parametrize("index", ["News", "news ", "ｎews", "nеws", "n"])
def test_indexes_compare_exactly(api, channel, index):
    ChannelFactory(site=channel.site, index_name="news")
    assert put(api, channel, indexName=index)["indexName"] == index


def test_an_index_is_free_in_another_site_after_a_deletion_and_where_it_is_empty(api, channel):
    other = ChannelFactory(site=channel.site, index_name="news", file_path="/news.html")
    elsewhere = ChannelFactory()
    assert put(api, elsewhere, indexName="news", filePath="/news.html")["indexName"] == "news"
    trash_channel(other.site_id, other.pk)
    assert put(api, channel, indexName="news", filePath="/news.html")["indexName"] == "news"
    third = ChannelFactory(site=channel.site, index_name="third")
    for each in (channel, third):
        assert put(api, each, indexName="", filePath="")["indexName"] == ""


def test_two_indexes_that_differ_are_400(api, channel):
    for members in ({"indexName": "a", "channelIndex": "b"}, {"ChannelIndex": "b", "INDEXNAME": "old"}):
        message = refuse(api, channel, **members)
        assert message == "indexName and channelIndex are the same member; send only one of them."
    assert put(api, channel, indexName="a", channelIndex="a")["indexName"] == "a"
    assert put(api, channel, indexName=None, channelIndex="b")["indexName"] == "b"


# ---- paths and rules


@pytest.mark.parametrize("sent,path", [
    ("/news.html", "/news.html"),
    ("news.shtml", "news.shtml"),
    (" /news.html\t", "/news.html"),
    ("/news", "/news/index.html"),
    ("/news/", "/news/index.html"),
    ("/v1.2/news", "/v1.2/news/index.html"),
    ("@/news", "@/news/index.html"),
    ("~/news.html", "~/news.html"),
    ("/", "/index.html"),
    ("/关于/我们.html", "/关于/我们.html"),
    ("", ""),
    ("  ", ""),
])  # fmt: skip
def test_a_file_path_gets_an_extension(api, channel, sent, path):
    assert put(api, channel, filePath=sent)["filePath"] == path


def test_a_file_path_is_unique_in_its_site(api, channel):
    other = ChannelFactory(site=channel.site, channel_name="News", file_path="/news/index.html")
    for sent in ("/news/index.html", " /news/index.html ", "/news", "/news/"):
        message = refuse(api, channel, filePath=sent)
        assert message == f'filePath "/news/index.html" already belongs to channel {other.pk} (News).'


UNFIT = ['"', "<", ">", "|", "?", "#", "%", "\x01", "\t", "\r", "\n", "\x1f"]


@pytest.mark.parametrize("character", UNFIT)
def test_a_file_path_holds_no_character_that_no_path_has(api, channel, character):
    assert "filePath" in refuse(api, channel, filePath=f"/a{character}b.html")


@each_once(
    ("name", ["channelFilePathRule", "contentFilePathRule"]),
    ("character", [each for each in UNFIT if each != "|"]),
)
def test_a_rule_holds_no_character_that_no_path_has(api, channel, name, character):
    assert name in refuse(api, channel, **{name: f"/a{character}b.html"})


@pytest.mark.parametrize("path", ["../a.html", "/a/../b.html", "/..", "\\..\\a.html", "@/../a.html"])
@pytest.mark.parametrize("name", ["filePath", "channelFilePathRule", "contentFilePathRule"])
def test_nothing_leads_out_of_the_site(api, channel, name, path):
    assert name in refuse(api, channel, **{name: path})


@pytest.mark.parametrize("name", ["channelFilePathRule", "contentFilePathRule"])
def test_a_rule_needs_an_extension(api, channel, name):
    for sent in ("/news/{@channelId}", "/news.d/{@channelId}", "{@contentId}/", "/news."):
        assert "file extension" in refuse(api, channel, **{name: sent})
    for sent in ("/news/{@channelId}.html", "/{@channelIndex}({@a}|x).shtml", "", "(a|b)/{@contentId}.html"):
        assert put(api, channel, **{name: sent})[name] == sent


# ---- link types


@each_once(
    ("link_type", LinkType.values),
    ("spell", [str, str.upper, str.lower]),
)
def test_a_link_type_is_one_of_the_twelve_in_any_letter_case(api, channel, link_type, spell):
    assert put(api, channel, linkType=spell(link_type))["linkType"] == link_type


def test_an_empty_link_type_is_none(api, channel):
    assert put(api, channel, linkType="")["linkType"] == "None"


@pytest.mark.parametrize("link_type", ["Nothing", "LinkTo", "LinkNoRelatedToChannelAndContent", 0, True, [], {}])
def test_an_unknown_link_type_is_400_and_names_the_twelve(api, channel, link_type):
    message = refuse(api, channel, linkType=link_type)
    assert all(each in message for each in LinkType.values)


# ---- the settings object and custom fields


@pytest.mark.parametrize("name,sent,kept", [
    ("isChannelAddable", False, False),
    ("IsContentAddable", "True", True),
    ("ischannelcreatable", "false", False),
    ("transType", "2", 2),
    ("TransType", "AllParentSite", 4),
    ("transDoneType", 3, 3),
    ("transSiteId", 436, 436),
    ("transChannelIds", "1,2", "1,2"),
    ("createChannelIdsIfContentChanged", "7", "7"),
    ("defaultTaxisType", "orderbyadddatedesc", "OrderByAddDateDesc"),
])  # fmt: skip
def test_members_of_the_settings_object_are_set_by_name_and_not_answered(api, channel, name, sent, kept):
    before = get(api, channel)
    assert put(api, channel, **{name: sent}) == before
    changed = {key for key, value in row(channel).settings.items() if channel.settings.get(key) != value}
    assert {key.casefold() for key in changed} == {name.casefold()}
    assert row(channel).settings[changed.pop()] == kept
    assert row(channel).version == channel.version + 1


@pytest.mark.parametrize("name,value", [
    ("isContentAddable", "perhaps"),
    ("isContentAddable", 1),
    ("transType", 6),
    ("transType", -1),
    ("transDoneType", 4),
    ("transSiteId", -1),
    ("transChannelNames", [1]),
    ("transChannelIds", "1" * 20_001),
    ("defaultTaxisType", "OrderByMood"),
])  # fmt: skip
def test_a_member_of_the_settings_object_outside_its_range_is_400(api, channel, name, value):
    assert refuse(api, channel, channelName="new", **{name: value}).startswith(f"{name} must be ")


def test_a_channel_that_takes_no_contents_refuses_them_at_once(api):
    channel = ChannelFactory()
    path = f"/api/v1/contents/{channel.site_id}/{channel.pk}"
    put(api, channel, isContentAddable=False)
    assert_error(api.post(path, {"title": "x"}), 400, "channel_takes_no_contents")
    put(api, channel, isContentAddable=True)
    assert api.post(path, {"title": "x"}).status_code == 200


def test_other_members_are_kept_and_answered(api, channel):
    sent = {"Width": 12, "theme": {"a": [None, 1.5]}, "空": "中"}
    after = put(api, channel, **sent)
    expected = CUSTOM | {"width": 12, "theme": {"a": [None, 1.5]}, "空": "中"}
    assert {name: after[name] for name in expected} == expected
    assert get(api, channel) == after
    assert put(api, channel, THEME="light")["theme"] == "light"


def test_too_many_or_too_long_names_of_other_members_are_400(api, channel):
    refuse(api, channel, **{f"m{number}": 1 for number in range(501)})
    refuse(api, channel, **{"m" * 256: 1})


# ---- values that cannot be kept


@pytest.mark.parametrize("name,length", [
    ("channelName", 255),
    ("contentModelPluginId", 50),
    ("contentRelatedPluginIds", 255),
    ("indexName", 255),
    ("groupNameCollection", 2000),
    ("imageUrl", 2000),
    ("linkUrl", 2000),
    ("keywords", 2000),
])  # fmt: skip
def test_a_text_has_its_length(api, channel, name, length):
    message = refuse(api, channel, **{name: "中" * (length + 1)})
    assert message == f"{name} must be a text of at most {length} characters, and has {length + 1}."
    assert put(api, channel, **{name: "中" * length})[name] == "中" * length


@pytest.mark.parametrize("name", ["channelFilePathRule", "contentFilePathRule"])
def test_a_rule_has_its_length(api, channel, name):
    rule = "/" + "a" * 494 + ".html"
    assert put(api, channel, **{name: rule})[name] == rule
    assert "500" in refuse(api, channel, **{name: "/" + rule})


@pytest.mark.parametrize("name", ["content", "description"])
def test_a_body_may_be_long(api, channel, name):
    assert put(api, channel, **{name: "中" * 200_000})[name] == "中" * 200_000


@pytest.mark.any_database
@each_once(
    ("name", [*reversed(CHANGES), "channelIndex"]),
    ("value", [True, [], {}, "x\0", ["x\0"]]),
)
def test_a_value_of_a_wrong_type_is_400_and_names_the_member(api, channel, name, value):
    message = refuse(api, channel, **{"keywords": "new"} | {name: value})
    assert name in message


@each_once(
    ("name", ["channelTemplateId", "contentTemplateId"]),
    ("value", [-1, 2**53, 2**63, "x", 1.5, ""]),
)
def test_a_template_is_a_number_that_every_client_can_hold(api, channel, name, value):
    assert name in refuse(api, channel, **{name: value})
    assert put(api, channel, **{name: "12"})[name] == 12


@pytest.mark.parametrize("name", ["", " ", "\t\n", "\u3000"])
def test_a_name_is_not_blank(api, channel, name):
    assert "channelName" in refuse(api, channel, channelName=name)


@pytest.mark.parametrize("name", ["imageUrl", "linkUrl"])
@pytest.mark.parametrize("value", ["javascript:alert(1)", " JavaScript:x", "java\nscript:x", "data:text/html,x"])
def test_an_address_runs_no_code(api, channel, name, value):
    assert name in refuse(api, channel, **{name: value})


def test_a_member_in_two_spellings_is_400(api, channel):
    refuse(api, channel, keywords="a", Keywords="b")
    refuse(api, channel, theme="a", Theme="b")
    refuse(api, channel, keywords="k", Keywords="b")
    refuse(api, channel, theme="dark", Theme="b")


def test_nothing_is_changed_when_one_of_many_members_is_refused(api, channel):
    ChannelFactory(site=channel.site, index_name="news")
    refuse(api, channel, **CHANGES | {"indexName": "news", "transType": 1, "theme": "light"})


# ---- refusals


@pytest.mark.parametrize("wrong,code", [
    ({"site": 0}, "site_not_found"),
    ({"id": -1}, "channel_not_found"),
    ({"id": 2**63 - 1}, "channel_not_found"),
    ({"id": 10**40}, "route_not_found"),
])  # fmt: skip
def test_is_404_for_what_does_not_exist_whatever_the_body(api, channel, wrong, code):
    before = stored()
    assert_error(api.put(address(channel, **wrong), {"channelName": "x"}), 404, code)
    assert_error(api.send("PUT", address(channel, **wrong), b"{"), 404, code)
    assert stored() == before


def test_is_404_through_another_site_and_from_the_trash(api, channel):
    assert_error(api.put(address(channel, site=SiteFactory().pk), {"channelName": "x"}), 404, "channel_not_found")
    trash_channel(channel.site_id, channel.pk)
    before = stored()
    assert_error(api.put(address(channel), {"channelName": "x"}), 404, "channel_not_found")
    assert stored() == before


def test_a_body_that_is_no_object_is_400(api, channel):
    before = stored()
    for body in (b"[]", b"{", b'"x"'):
        assert_error(api.send("PUT", address(channel), body), 400, "body_not_object")
    assert stored() == before


def test_needs_the_scope_to_write_and_the_site(client_with_key, stranger, channel):
    elsewhere = client_with_key(scopes="Channels", site_ids=str(SiteFactory().pk))
    reader = client_with_key(scopes="Channels:read")
    before = stored()
    assert_error(stranger.put(address(channel), {"channelName": "x"}), 401, "key_missing")
    assert_error(reader.put(address(channel), {"channelName": "x"}), 401, "scope_missing")
    assert_error(elsewhere.put(address(channel), {"channelName": "x"}), 401, "site_not_allowed")
    assert stored() == before


def test_a_flag_and_a_number_are_not_the_same(api, channel):
    assert put(api, channel, flag=True)["flag"] is True
    changed = put(api, channel, flag=1)["flag"]
    assert changed == 1 and changed is not True


def test_of_two_changes_the_later_one_counts_also_where_it_says_what_was_stored(api, channel):
    # What was answered is compared with what is stored once the tree is locked, not before.
    answered = api.get(address(channel)).json()["value"]
    members = ChannelSerializer.read_changes({"channelName": answered["channelName"], "keywords": "mine"}, answered)
    put(api, channel, channelName="Other")
    update_channel(channel.site_id, channel.pk, members)
    channel.refresh_from_db()
    assert (channel.channel_name, channel.keywords) == (answered["channelName"], "mine")
