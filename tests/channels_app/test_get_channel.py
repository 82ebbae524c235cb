"""`GET /channels/{siteId}/{channelId}`."""

from datetime import datetime

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from channels_app.models import Channel, LinkType
from channels_app.services import trash_channel
from channels_app.tree import read_tree
from channels_app.tree_fields import mend
from tests.assertions import assert_error
from tests.factories import ChannelFactory, ContentFactory, SiteFactory

pytestmark = pytest.mark.django_db
# The interface's Channel: members of the single-channel read in the order of the published sample.
MEMBERS = {
    "id": int, "channelName": str, "siteId": int, "contentModelPluginId": str, "contentRelatedPluginIds": str,
    "parentId": int, "parentsPath": str, "parentsCount": int, "childrenCount": int, "lastNode": bool,
    "isLastNode": bool, "indexName": str, "groupNameCollection": str, "taxis": int, "addDate": str, "imageUrl": str,
    "content": str, "filePath": str, "channelFilePathRule": str, "contentFilePathRule": str, "linkUrl": str,
    "linkType": str, "channelTemplateId": int, "contentTemplateId": int, "keywords": str, "description": str,
    "children": list, "navigationUrl": str,
}  # fmt: skip


def address(channel, site=None, id=None):
    return f"/api/v1/channels/{channel.site_id if site is None else site}/{channel.pk if id is None else id}"


def get(api, channel, **other):
    response = api.get(address(channel, **other))
    assert response.status_code == 200, response.content
    return response.json()["value"]


def add_many(site, size):
    """Channels below the home channel of the site, and its figures."""
    new = (Channel(site_id=site.pk, parent_id=site.pk, channel_name="channel") for _ in range(size))
    Channel.objects.bulk_create(new)
    mend(site.pk)


def test_answers_every_member_of_the_interface(api):
    site = SiteFactory(site_dir="museum")
    before = ChannelFactory(site=site)
    parent = ChannelFactory(parent=before)
    channel = ChannelFactory(
        parent=parent,
        channel_name="关于我们",
        content_model_plugin_id="jobs",
        content_related_plugin_ids="a,b",
        index_name="about",
        group_name_collection="not,nav",
        add_date=datetime(2020, 5, 28, 18, 4, 39),
        image_url="@/upload/a.png",
        content='<p class="a">body & more</p>\r\n',
        channel_file_path_rule="/c/{@channelId}.html",
        content_file_path_rule="/d/{@contentId}.html",
        link_type=LinkType.LINK_TO_FIRST_CHANNEL,
        channel_template_id=362,
        content_template_id=360,
        keywords="a,b",
        description="About",
    )
    child = ChannelFactory(parent=channel, file_path="/about/us.html", add_date=datetime(2020, 5, 28, 18, 4))
    ChannelFactory(parent=parent)
    response = api.get(address(channel))
    assert response.status_code == 200
    assert list(response.json()) == ["value"]
    value = response.json()["value"]
    assert list(value) == list(MEMBERS)
    (shown,) = value.pop("children")
    assert value == {
        "id": channel.pk,
        "channelName": "关于我们",
        "siteId": site.pk,
        "contentModelPluginId": "jobs",
        "contentRelatedPluginIds": "a,b",
        "parentId": parent.pk,
        "parentsPath": f"{site.pk},{before.pk},{parent.pk}",
        "parentsCount": 3,
        "childrenCount": 1,
        "lastNode": False,
        "isLastNode": False,
        "indexName": "about",
        "groupNameCollection": "not,nav",
        "taxis": 4,
        "addDate": "2020-05-28 18:04:39",
        "imageUrl": "/museum/upload/a.png",
        "content": '<p class="a">body & more</p>\r\n',
        "filePath": "",
        "channelFilePathRule": "/c/{@channelId}.html",
        "contentFilePathRule": "/d/{@contentId}.html",
        "linkUrl": "",
        "linkType": "LinkToFirstChannel",
        "channelTemplateId": 362,
        "contentTemplateId": 360,
        "keywords": "a,b",
        "description": "About",
        "navigationUrl": "/museum/about/us.html",
    }
    assert list(shown) == list(MEMBERS)
    assert shown == get(api, child)
    assert (shown["lastNode"], shown["isLastNode"], shown["children"]) == (True, True, [])


def test_a_new_channel_has_every_member_in_its_type(api):
    value = get(api, ChannelFactory())
    assert {name: type(found) for name, found in value.items()} == MEMBERS


def test_the_home_channel_bears_the_number_of_the_site(api):
    channel = ChannelFactory()
    home = get(api, channel, id=channel.site_id)
    assert (home["id"], home["parentId"], home["parentsPath"], home["parentsCount"]) == (channel.site_id, 0, "", 0)
    assert (home["taxis"], home["childrenCount"], home["isLastNode"], home["lastNode"]) == (1, 1, True, True)
    assert home["navigationUrl"] == f"/{channel.site.site_dir}/index.html"
    assert home["children"] == [get(api, channel)]
    assert get(api, channel, id=0) == home


def test_children_are_nested_in_the_order_of_the_tree(api):
    site = SiteFactory()
    a, b = ChannelFactory(site=site), ChannelFactory(site=site)
    c, d = ChannelFactory(parent=a), ChannelFactory(parent=a)
    e = ChannelFactory(parent=c)

    def shape(record):
        return {record["id"]: [shape(child) for child in record["children"]]}

    found = shape(get(api, a, id=0))
    assert found == {site.pk: [{a.pk: [{c.pk: [{e.pk: []}]}, {d.pk: []}]}, {b.pk: []}]}


@pytest.mark.parametrize("levels", [250, 300])
def test_children_are_nested_however_deep(api, levels):
    site = SiteFactory()
    parent_id = site.pk
    for _ in range(levels):
        parent_id = Channel.objects.create(site_id=site.pk, parent_id=parent_id, channel_name="c", settings={"x": 1}).pk
    mend(site.pk)
    home = record = api.get(f"/api/v1/channels/{site.pk}/0").json()["value"]
    for depth in range(1, levels + 1):
        (record,) = record["children"]
        assert (record["parentsCount"], record["taxis"]) == (depth, depth + 1)
        assert list(record) == [*list(MEMBERS)[:-2], "x", "children", "navigationUrl"]
    assert record["children"] == []
    assert len(record["parentsPath"].split(",")) == levels
    assert api.get(f"/api/v1/channels/{site.pk}").json()["value"] == home["children"]


# ---- queries


@pytest.mark.parametrize("size", [3, 200])
def test_the_number_of_queries_does_not_grow_with_the_tree(django_assert_num_queries, size):
    site = SiteFactory()
    add_many(site, size)
    with django_assert_num_queries(3):  # the number of the tree, the site, its channels
        read_tree(site.pk)
    with django_assert_num_queries(1):
        assert len(read_tree(site.pk).channels) == size + 1


def test_a_request_asks_as_much_for_two_hundred_channels_as_for_three(api):
    counts = []
    api.get("/api/v1/channels/0/0")  # the key is known from here on
    for size in (3, 200):
        site = SiteFactory()
        add_many(site, size)
        Channel.objects.exclude(pk=site.pk).update(link_type=LinkType.LINK_TO_FIRST_CONTENT)
        for channel in Channel.objects.in_site(site.pk)[1:4]:
            ContentFactory(channel=channel, is_checked=True)
        for _ in ("cold", "warm"):
            with CaptureQueriesContext(connection) as queries:
                assert len(api.get(f"/api/v1/channels/{site.pk}/0").json()["value"]["children"]) == size
            counts.append(len(queries))
    cold, warm, *others = counts
    assert [cold, warm] == others
    assert warm < cold


def test_a_tree_that_is_not_kept_is_read_each_time(api, monkeypatch):
    monkeypatch.setattr("channels_app.tree._RECORD_BYTES", 10**12)
    channel = ChannelFactory()
    assert get(api, channel) == get(api, channel)


# ---- freshness: whoever changes something, the next answer has it


def execute(sql, *params):
    with connection.cursor() as cursor:
        cursor.execute(sql, params)


CHANGES = {
    "a column by the ORM": (
        lambda channel: Channel.objects.filter(pk=channel.pk).update(keywords="new"),
        {"keywords": "new"},
    ),
    "a column by SQL": (
        lambda channel: execute("UPDATE channels_app_channel SET description = 'x' WHERE id = %s", channel.pk),
        {"description": "x"},
    ),
    "a save": (lambda channel: save(channel, channel_name="new"), {"channelName": "new"}),
    "a new child": (lambda channel: ChannelFactory(parent=channel), {"childrenCount": 1}),
    "a new sibling": (lambda channel: ChannelFactory(site=channel.site), {"isLastNode": False, "lastNode": False}),
    "a custom field": (lambda channel: save(channel, settings={"theme": "dark"}), {"theme": "dark"}),
    "the folder of the site": (
        lambda channel: save(channel.site, site_dir="moved"),
        {"navigationUrl": "/above/moved/channels/{id}.html", "imageUrl": "/above/moved/a.png"},
    ),
    "the folder of the site above": (
        lambda channel: save(channel.site.parent, site_dir="moved"),
        {"navigationUrl": "/moved/below/channels/{id}.html", "imageUrl": "/moved/below/a.png"},
    ),
    "a host for the site above": (
        lambda channel: save(
            channel.site.parent, settings={"isSeparatedWeb": True, "separatedWebUrl": "https://a.example/"}
        ),
        {
            "navigationUrl": "https://a.example/below/channels/{id}.html",
            "imageUrl": "https://a.example/below/a.png",
        },
    ),
    "the site's rule": (
        lambda channel: save(channel.site, settings={"channelFilePathRule": "/x/{@channelId}.htm"}),
        {"navigationUrl": "/above/below/x/{id}.htm"},
    ),
    "the rule of the home channel, by SQL": (
        lambda channel: execute(
            "UPDATE channels_app_channel SET channel_file_path_rule = '/y/{@channelId}.htm' WHERE id = %s",
            channel.site_id,
        ),
        {"navigationUrl": "/above/below/y/{id}.htm"},
    ),
}


def save(record, **values):
    for name, value in values.items():
        setattr(record, name, value)
    record.save()


@pytest.mark.parametrize("change,changed", CHANGES.values(), ids=CHANGES)
def test_the_answer_after_a_change_has_it(api, change, changed):
    above = SiteFactory(site_dir="above")
    channel = ChannelFactory(site=SiteFactory(site_dir="below", parent=above), image_url="@/a.png")
    before = get(api, channel)
    assert before["navigationUrl"] == f"/above/below/channels/{channel.pk}.html"
    change(Channel.objects.select_related("site__parent").get(pk=channel.pk))
    after = get(api, channel)
    expected = {
        name: value.format(id=channel.pk) if isinstance(value, str) else value for name, value in changed.items()
    }
    after["children"] = []
    assert after == before | expected


def test_another_site_changes_nothing_and_costs_nothing(api, django_assert_num_queries):
    channel, other = ChannelFactory(), ChannelFactory()
    before = get(api, channel)
    save(other.site, settings={"channelFilePathRule": "/x/{@channelId}.htm"})
    save(other, channel_name="x")
    ChannelFactory(parent=other)
    with django_assert_num_queries(1):
        read_tree(channel.site_id)
    assert get(api, channel) == before


def test_a_channel_that_changes_its_site_is_gone_from_one_and_is_in_the_other(api):
    channel, other = ChannelFactory(), ChannelFactory()
    for each in (channel, other):
        get(api, each)
    Channel.objects.filter(pk=channel.pk).update(site=other.site_id, parent=other)
    assert_error(api.get(address(channel)), 404, "channel_not_found")
    assert get(api, other, id=channel.pk)["parentId"] == other.pk


def test_an_address_that_leads_to_a_content_follows_the_contents(api):
    channel = ChannelFactory(link_type=LinkType.LINK_TO_FIRST_CONTENT)
    own = get(api, channel)["navigationUrl"]
    content = ContentFactory(channel=channel)
    assert get(api, channel)["navigationUrl"] == own  # not approved
    type(content).objects.update(is_checked=True)
    assert get(api, channel)["navigationUrl"].endswith(f"/contents/{channel.pk}/{content.pk}.html")
    type(content).objects.update(trashed_at=datetime(2020, 1, 1))
    assert get(api, channel)["navigationUrl"] == own


# ---- the trash, custom fields


def test_what_is_in_the_trash_is_gone(api):
    parent = ChannelFactory()
    gone, stays = ChannelFactory(parent=parent), ChannelFactory(parent=parent)
    below = ChannelFactory(parent=gone)
    trash_channel(parent.site_id, gone.pk)
    for each in (gone, below):
        assert_error(api.get(address(each)), 404, "channel_not_found")
    value = get(api, parent)
    assert [child["id"] for child in value["children"]] == [stays.pk]
    assert value["childrenCount"] == 1
    assert get(api, stays)["taxis"] == 3


def test_custom_fields_are_members_and_the_settings_object_is_not_answered(api):
    custom = {"theme": "dark", "photos": [1, {"a": None}], "width": 1.5, "isWide": True, "空": "中"}
    channel = ChannelFactory(settings=custom | {"isContentAddable": False, "transType": 3})
    value = get(api, channel)
    assert list(value) == [
        *list(MEMBERS)[:-2],
        *(name for name in value if name in custom),
        "children",
        "navigationUrl",
    ]
    assert {name: value[name] for name in custom} == custom


def test_a_custom_field_never_hides_a_member_of_the_interface(api):
    channel = ChannelFactory(settings={"taxis": "x", "channelName": "x", "navigationUrl": "x", "children": "x"})
    value = get(api, channel)
    assert {name: type(found) for name, found in value.items()} == MEMBERS
    assert value["channelName"] == channel.channel_name
    assert value["navigationUrl"] != "x"


# ---- refusals


@pytest.mark.parametrize("wrong,code", [
    ({"site": 0}, "site_not_found"),
    ({"site": -1}, "site_not_found"),
    ({"site": 2**63 - 1}, "site_not_found"),
    ({"id": -1}, "channel_not_found"),
    ({"id": 2**63 - 1}, "channel_not_found"),
    ({"id": 2**63}, "route_not_found"),
    ({"id": 10**40}, "route_not_found"),
    ({"site": 10**40}, "route_not_found"),
    ({"id": "one"}, "route_not_found"),
])  # fmt: skip
def test_is_404_for_what_does_not_exist(api, wrong, code):
    assert_error(api.get(address(ChannelFactory(), **wrong)), 404, code)


def test_the_404_names_what_was_not_found(api):
    channel = ChannelFactory()
    message = assert_error(api.get(address(channel, id=-channel.pk)), 404)["message"]
    assert message == f"Channel {-channel.pk} was not found in site {channel.site_id}."
    assert assert_error(api.get(address(channel, site=0)), 404)["message"] == "Site 0 was not found."


def test_is_404_through_another_site(api):
    channel = ChannelFactory()
    assert_error(api.get(address(channel, site=SiteFactory().pk)), 404, "channel_not_found")


def test_needs_the_scope_and_the_site(client_with_key, stranger):
    channel = ChannelFactory()
    assert_error(stranger.get(address(channel)), 401, "key_missing")
    assert_error(client_with_key(scopes="Contents").get(address(channel)), 401, "scope_missing")
    elsewhere = client_with_key(scopes="Channels", site_ids=str(SiteFactory().pk))
    assert_error(elsewhere.get(address(channel)), 401, "site_not_allowed")
    assert client_with_key(scopes="Channels:read").get(address(channel)).status_code == 200
