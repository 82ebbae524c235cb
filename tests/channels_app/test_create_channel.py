"""`POST /channels/{siteId}`."""

from datetime import datetime

import pytest

from channels_app.models import Channel, LinkType
from channels_app.services import trash_channel
from tests.assertions import assert_error
from tests.contents.derived import assert_derived
from tests.factories import ChannelFactory, SiteFactory

pytestmark = pytest.mark.django_db


def address(site_id):
    return f"/api/v1/channels/{site_id}"


def post(api, site_id, /, **members):
    response = api.post(address(site_id), members)
    assert response.status_code == 200, response.content
    return response.json()["value"]


def refuse(api, site_id, /, **members):
    """The sentence of the refusal, after making sure that nothing was changed."""
    before = stored()
    error = assert_error(api.post(address(site_id), members), 400)
    assert stored() == before
    return error["message"]


def stored():
    return list(Channel.objects.order_by("pk").values())


def figures(api, site_id):
    """Each channel in the order of the tree: taxis, parentsPath, parentsCount, childrenCount, isLastNode."""
    found = []

    def walk(record):
        found.append([record[name] for name in ("taxis", "parentsPath", "parentsCount", "childrenCount", "isLastNode")])
        for child in record["children"]:
            walk(child)

    walk(api.get(f"{address(site_id)}/0").json()["value"])
    return found


def test_answers_the_whole_channel(api):
    site, started = SiteFactory(site_dir="museum"), datetime.now().replace(microsecond=0)
    response = api.post(address(site.pk), {"channelName": "栏目标题"})
    assert response.status_code == 200
    assert list(response.json()) == ["value"]
    value = response.json()["value"]
    channel_id = value["id"]
    assert started <= datetime.fromisoformat(value["addDate"]) <= datetime.now()
    texts = (
        "contentModelPluginId", "contentRelatedPluginIds", "indexName", "groupNameCollection", "imageUrl", "content",
        "filePath", "channelFilePathRule", "contentFilePathRule", "linkUrl", "keywords", "description",
    )  # fmt: skip
    assert value == dict.fromkeys(texts, "") | {
        "id": channel_id,
        "channelName": "栏目标题",
        "siteId": site.pk,
        "parentId": site.pk,
        "parentsPath": str(site.pk),
        "parentsCount": 1,
        "childrenCount": 0,
        "lastNode": True,
        "isLastNode": True,
        "taxis": 2,
        "addDate": value["addDate"],
        "linkType": "None",
        "channelTemplateId": 0,
        "contentTemplateId": 0,
        "children": [],
        "navigationUrl": f"/museum/channels/{channel_id}.html",
    }
    assert api.get(f"{address(site.pk)}/{channel_id}").json()["value"] == value


def test_takes_every_member(api):
    site = SiteFactory(site_dir="museum")
    sent = {
        "channelName": "News", "contentModelPluginId": "jobs", "contentRelatedPluginIds": "a,b", "indexName": "news",
        "groupNameCollection": "g,h", "imageUrl": "/a.png", "content": "<p>x</p>", "filePath": "/news.html",
        "channelFilePathRule": "/c/{@channelId}.html", "contentFilePathRule": "/d/{@contentId}.html",
        "linkUrl": "https://example.org/", "linkType": "NoLink", "channelTemplateId": 3, "contentTemplateId": 4,
        "keywords": "k,l", "description": "d", "theme": "dark",
    }  # fmt: skip
    value = post(api, site.pk, **sent, isContentAddable=False)
    assert {name: value[name] for name in sent} == sent
    channel = Channel.objects.get(pk=value["id"])
    assert channel.settings == {"theme": "dark", "isContentAddable": False}
    assert channel.version == 1


def test_what_is_answered_only_is_not_taken(api):
    site = SiteFactory()
    value = post(
        api, site.pk, channelName="x", id=5, siteId=5, taxis=77, parentsPath="5", parentsCount=7, childrenCount=7,
        isLastNode=False, lastNode=False, addDate="2001-01-01", navigationUrl="x", children=[{"channelName": "y"}],
        contentNum=4, attributes={"isContentAddable": False},
    )  # fmt: skip
    assert value["id"] != 5
    assert (value["siteId"], value["taxis"], value["parentsCount"], value["childrenCount"]) == (site.pk, 2, 1, 0)
    assert value["addDate"] > "2020"
    assert Channel.objects.get(pk=value["id"]).settings == {}
    assert Channel.objects.filter(site=site).count() == 2


def test_the_new_channel_is_the_last_child_of_its_parent(api):
    site = SiteFactory()
    a = post(api, site.pk, channelName="a")["id"]
    b = post(api, site.pk, channelName="b", parentId=0)["id"]
    post(api, site.pk, channelName="c", parentId=a)
    post(api, site.pk, channelName="d", ParentId=str(a))
    post(api, site.pk, channelName="e", parentId=site.pk)
    home = str(site.pk)
    assert figures(api, site.pk) == [
        [1, "", 0, 3, True],
        [2, home, 1, 2, False],
        [3, f"{home},{a}", 2, 0, False],
        [4, f"{home},{a}", 2, 0, True],
        [5, home, 1, 0, False],
        [6, home, 1, 0, True],
    ]
    assert [record["id"] for record in api.get(address(site.pk)).json()["value"]][:2] == [a, b]
    assert_derived()


def test_a_parent_that_is_null_is_the_home_channel(api):
    site = SiteFactory()
    assert post(api, site.pk, channelName="x", parentId=None)["parentId"] == site.pk


@pytest.mark.parametrize("parent", ["other", "trashed", "below_trashed", -1, 2**63 - 1])
def test_a_parent_that_the_site_does_not_have_is_400(api, parent):
    trashed = ChannelFactory()
    below = ChannelFactory(parent=trashed)
    trash_channel(trashed.site_id, trashed.pk)
    known = {"other": ChannelFactory().pk, "trashed": trashed.pk, "below_trashed": below.pk}
    parent_id = known.get(parent, parent)
    message = refuse(api, trashed.site_id, channelName="x", parentId=parent_id)
    assert message == f"Channel {parent_id} was not found in site {trashed.site_id}."


@pytest.mark.parametrize("value", ["x", "", 1.5, [], {}, True, 2**63])
def test_a_parent_that_is_no_number_is_400(api, value):
    assert "parentId" in refuse(api, SiteFactory().pk, channelName="x", parentId=value)


def test_a_parent_that_takes_no_channels_is_400(api):
    parent = ChannelFactory(settings={"isChannelAddable": False})
    message = refuse(api, parent.site_id, channelName="x", parentId=parent.pk)
    assert message == f"Channel {parent.pk} does not allow channels below it."
    Channel.objects.update(settings={"isChannelAddable": True})
    post(api, parent.site_id, channelName="x", parentId=parent.pk)


@pytest.mark.parametrize("members", [{}, {"channelName": None}, {"indexName": "a"}])
def test_a_name_is_required(api, members):
    assert refuse(api, SiteFactory().pk, **members) == "channelName is required."


@pytest.mark.parametrize("name", ["", " ", "\t\n", "\u3000", "x" * 256, "x\0", 5, []])
def test_a_name_is_a_text_that_is_not_blank(api, name):
    assert "channelName" in refuse(api, SiteFactory().pk, channelName=name)


def test_names_need_not_differ(api):
    site = SiteFactory()
    assert post(api, site.pk, channelName=" x ")["channelName"] == " x "
    assert post(api, site.pk, channelName=" x ")["indexName"] == ""


def test_an_index_and_a_file_path_are_unique_in_the_site(api):
    other = ChannelFactory(channel_name="News", index_name="news", file_path="/news/index.html")
    for name in ("indexName", "channelIndex"):
        message = refuse(api, other.site_id, channelName="x", **{name: "news"})
        assert message == f'indexName "news" already belongs to channel {other.pk} (News).'
    message = refuse(api, other.site_id, channelName="x", filePath="/news")
    assert message == f'filePath "/news/index.html" already belongs to channel {other.pk} (News).'
    post(api, SiteFactory().pk, channelName="x", indexName="news", filePath="/news")
    post(api, other.site_id, channelName="x", indexName="News", filePath="/News")
    trash_channel(other.site_id, other.pk)
    post(api, other.site_id, channelName="x", channelIndex="news", filePath="/news")


@pytest.mark.parametrize("members", [
    {"indexName": "a", "channelIndex": "b"},
    {"filePath": "/a|b.html"},
    {"filePath": "/../a.html"},
    {"channelFilePathRule": "/{@channelId}"},
    {"contentFilePathRule": "/a<b.html"},
    {"linkType": "Nothing"},
    {"channelTemplateId": -1},
    {"linkUrl": "javascript:alert(1)"},
    {"isContentAddable": "perhaps"},
    {"transType": 6},
    {"keywords": "x" * 2001},
    {"content": "x\0"},
    {"theme": 1, "Theme": 2},
])  # fmt: skip
def test_the_rules_of_an_update_hold(api, members):
    refuse(api, SiteFactory().pk, channelName="x", **members)


@pytest.mark.parametrize("link_type", LinkType.values)
def test_a_channel_may_lead_anywhere_from_the_start(api, link_type):
    assert post(api, SiteFactory().pk, channelName="x", linkType=link_type.upper())["linkType"] == link_type


@pytest.mark.parametrize("site_id", [0, -1, 2**63 - 1])
def test_is_404_for_a_site_that_does_not_exist_whatever_the_body(api, site_id):
    assert_error(api.post(address(site_id), {"channelName": "x"}), 404, "site_not_found")
    assert_error(api.send("POST", address(site_id), b"{"), 404, "site_not_found")


def test_a_body_that_is_no_object_is_400(api):
    site = SiteFactory()
    for body in (b"[]", b"{", b'"x"'):
        assert_error(api.send("POST", address(site.pk), body), 400, "body_not_object")
    assert Channel.objects.count() == 1


def test_needs_the_scope_to_write_and_the_site(client_with_key, stranger):
    site = SiteFactory()
    elsewhere = client_with_key(scopes="Channels", site_ids=str(SiteFactory().pk))
    before, body = stored(), {"channelName": "x"}
    assert_error(stranger.post(address(site.pk), body), 401, "key_missing")
    assert_error(client_with_key(scopes="Channels:read").post(address(site.pk), body), 401, "scope_missing")
    assert_error(elsewhere.post(address(site.pk), body), 401, "site_not_allowed")
    assert stored() == before
