"""`POST /contents`: the answer, the filters and their combinations, what is refused."""

from datetime import datetime
from itertools import product

import pytest

from contents.models import Content
from tests.assertions import assert_error
from tests.contents.asking import PATH, ask, read, titles
from tests.factories import ChannelFactory, ContentFactory, SiteFactory

FLAGS = {"checked": "is_checked", "top": "is_top", "recommend": "is_recommend", "hot": "is_hot", "color": "is_color"}


def test_answers_every_member_of_each_content(api):
    channel = ChannelFactory(site=SiteFactory(site_dir="museum"))
    content = ContentFactory(
        channel=channel,
        add_user_name="ada",
        last_edit_user_name="bob",
        writing_user_name="cleo",
        last_edit_date=datetime(2018, 7, 11, 11, 18, 39),
        taxis=3,
        group_name_collection="头条, news",
        tags="ships,harbour",
        source_id=-1,
        reference_id=37,
        is_checked=True,
        checked_level=2,
        hits=9,
        hits_by_day=1,
        hits_by_week=2,
        hits_by_month=3,
        last_hits_date=datetime(2018, 1, 20, 13, 48),
        settings_xml='{"titleformatstring":"False_False_False_","check_isadmin":"True","width":12,"wide":true}',
        title="简化租房流程",
        is_top=True,
        is_recommend=True,
        is_hot=True,
        is_color=True,
        link_url="",
        add_date=datetime(2018, 1, 20, 13, 47, 46),
        sub_title="Sub",
        image_url="@/upload/a.png",
        video_url="~/upload/a.mp4",
        file_url="https://files.example/a.pdf",
        content="<p>“Body” &amp; more</p>",
        summary="Summary",
        author="Author",
        source="Source",
    )
    response = api.post(PATH, {"siteId": channel.site_id})
    assert response.status_code == 200
    assert response.headers["Content-Type"] == "application/json; charset=utf-8"
    assert response.json() == {
        "totalCount": 1,
        "contents": [
            {
                "id": content.pk,
                "channelId": channel.pk,
                "siteId": channel.site_id,
                "addUserName": "ada",
                "lastEditUserName": "bob",
                "writingUserName": "cleo",
                "lastEditDate": "2018-07-11 11:18:39",
                "taxis": 3,
                "groupNameCollection": "头条, news",
                "tags": "ships,harbour",
                "sourceId": -1,
                "referenceId": 37,
                "isChecked": True,
                "checkedLevel": 2,
                "hits": 9,
                "hitsByDay": 1,
                "hitsByWeek": 2,
                "hitsByMonth": 3,
                "lastHitsDate": "2018-01-20 13:48:00",
                "settingsXml": (
                    '{"titleformatstring":"False_False_False_","check_isadmin":"True","width":12,"wide":true}'
                ),
                "title": "简化租房流程",
                "isTop": True,
                "isRecommend": True,
                "isHot": True,
                "isColor": True,
                "linkUrl": "",
                "addDate": "2018-01-20 13:47:46",
                "subTitle": "Sub",
                "imageUrl": "/museum/upload/a.png",
                "videoUrl": "/upload/a.mp4",
                "fileUrl": "https://files.example/a.pdf",
                "content": "<p>“Body” &amp; more</p>",
                "summary": "Summary",
                "author": "Author",
                "source": "Source",
                "titleformatstring": "False_False_False_",
                "check_isadmin": "True",
                "width": 12,
                "wide": True,
                "navigationUrl": "javascript:;",  # what it refers to is gone
            }
        ],
    }


def test_texts_of_a_bare_content_are_empty_and_never_null(api):
    content = ContentFactory()
    (record,) = read(api, content.site)["contents"]
    assert [name for name, value in record.items() if value is None] == ["lastHitsDate"]
    assert record["settingsXml"] == "{}"
    assert record["isChecked"] is record["isTop"] is False


def test_a_site_without_contents_has_an_empty_list(api):
    assert read(api, SiteFactory()) == {"totalCount": 0, "contents": []}


def test_a_content_without_a_body_row_has_an_empty_body(api):
    content = ContentFactory()
    content.body.delete()
    assert read(api, content.site)["contents"][0]["content"] == ""


# ---- filters


@pytest.fixture
def flagged():
    """A channel with a content for each combination of flags, titled by the flags that are set."""
    channel = ChannelFactory()
    for values in product([False, True], repeat=len(FLAGS)):
        flags = dict(zip(FLAGS.values(), values, strict=True))
        ContentFactory(channel=channel, title="+" + " ".join(name for name in flags if flags[name]), **flags)
    return channel


@pytest.mark.parametrize("scope", ["site", "channel", "rule"])
def test_flags_are_all_followed_in_every_combination(api, flagged, scope):
    # A rule that is always true leads past the indexes made for lists.
    more = {
        "site": {},
        "channel": {"channelId": flagged.pk},
        "rule": {"wheres": [{"column": "id", "operator": ">", "value": 0}]},
    }[scope]
    for values in product([None, False, True], repeat=len(FLAGS)):
        asked = {name: value for name, value in zip(FLAGS, values, strict=True) if value is not None}
        wanted = Content.objects.filter(**{FLAGS[name]: value for name, value in asked.items()})
        expected = sorted(wanted.values_list("title", flat=True))
        assert sorted(titles(api, flagged.site, **asked, **more)) == expected, asked


@pytest.mark.parametrize("value", [True, "True", "true", " TRUE "])
def test_flags_are_read_from_texts_too(api, value):
    content = ContentFactory(title="yes", is_checked=True)
    ContentFactory(channel=content.channel, title="no")
    assert titles(api, content.site, checked=value) == ["yes"]


def test_a_filter_that_is_null_counts_as_not_sent(api):
    content = ContentFactory(title="a")
    nothing = dict.fromkeys(["channelId", *FLAGS, "groupNames", "tagNames", "wheres", "orders", "page", "perPage"])
    assert read(api, content.site, **nothing)["totalCount"] == 1


def test_names_are_read_in_any_letter_case(api):
    content = ContentFactory(title="yes", is_checked=True)
    ContentFactory(channel=content.channel, title="no")
    body = {"SiteId": str(content.site_id), "ChannelID": content.channel_id, "CHECKED": True, "PerPage": "5"}
    assert [record["title"] for record in api.post(PATH, body).json()["contents"]] == ["yes"]


@pytest.mark.parametrize(
    ("typo", "meant"),
    [("chanelId", "channelId"), ("perpages", "perPage"), ("Where", "wheres"), ("isChecked", "checked")],
)
def test_a_typo_is_400_and_names_the_member_that_was_meant(api, typo, meant):
    response = ask(api, ContentFactory().site, **{typo: 1})
    body = assert_error(response, 400, "unknown_member")
    assert body["member"] == typo and f"you probably mean {meant}." in body["message"]


def test_unknown_members_are_ignored(api):
    content = ContentFactory()
    assert read(api, content.site, nonsense=1, isTop="?")["totalCount"] == 1


# ---- which contents stand in the list


def test_a_channel_lists_everything_below_it(api):
    site = SiteFactory()
    top = ChannelFactory(site=site)
    middle = ChannelFactory(parent=top)
    low = ChannelFactory(parent=middle)
    beside = ChannelFactory(site=site)
    for title, channel in [("top", top), ("middle", middle), ("low", low), ("beside", beside)]:
        ContentFactory(channel=channel, title=title)
    lists = {channel.pk: set(titles(api, site, channelId=channel.pk)) for channel in (top, middle, low, beside)}
    assert lists == {
        top.pk: {"top", "middle", "low"},
        middle.pk: {"middle", "low"},
        low.pk: {"low"},
        beside.pk: {"beside"},
    }


@pytest.mark.parametrize("more", [{}, {"wheres": [{"column": "id", "value": 0, "operator": ">"}]}])
def test_the_home_channel_lists_the_whole_site(api, more):
    content = ContentFactory(title="deep", channel=ChannelFactory(parent=ChannelFactory()))
    assert titles(api, content.site, channelId=content.site_id, **more) == ["deep"]


@pytest.mark.parametrize("more", [{}, {"wheres": [{"column": "id", "value": 0, "operator": ">"}]}])
def test_a_moved_channel_takes_its_contents_to_the_new_list(api, more):
    site = SiteFactory()
    old, new = ChannelFactory(site=site), ChannelFactory(site=site)
    moved = ChannelFactory(parent=old)
    ContentFactory(channel=moved, title="moved")
    type(moved).objects.filter(pk=moved.pk).update(parent=new)
    assert titles(api, site, channelId=old.pk, **more) == []
    assert titles(api, site, channelId=new.pk, **more) == ["moved"]


def test_two_sites_are_never_mixed(api):
    one, other = (ContentFactory(title=title, tags="t", group_name_collection="g") for title in ("one", "other"))
    for more in [{}, {"tagNames": ["t"]}, {"groupNames": ["g"]}, {"wheres": [{"column": "tags", "value": "t"}]}]:
        assert titles(api, one.site, **more) == ["one"]
        assert titles(api, other.site, **more) == ["other"]


@pytest.mark.parametrize("more", [
    {},
    {"checked": True},
    {"tagNames": ["t"]},
    {"groupNames": ["g"]},
    {"tagNames": ["t"], "groupNames": ["g"]},
    {"orders": [{"column": "addDate", "desc": True}]},
    {"wheres": [{"column": "title", "operator": "Like", "value": "%"}]},
])  # fmt: skip
def test_trashed_contents_are_absent(api, more):
    fields = {"is_checked": True, "tags": "t", "group_name_collection": "g"}
    kept = ContentFactory(title="kept", **fields)
    trashed = ContentFactory(title="trashed", channel=kept.channel, **fields)
    api.delete(f"{PATH}/{trashed.site_id}/{trashed.channel_id}/{trashed.pk}")
    assert titles(api, kept.site, **more) == ["kept"]
    assert titles(api, kept.site, channelId=kept.channel_id, **more) == ["kept"]


# ---- refusals


@pytest.mark.django_db
def test_needs_a_key(stranger):
    content = ContentFactory()
    assert_error(ask(stranger, content.site), 401, "key_missing")


def test_needs_the_scope(client_with_key):
    content = ContentFactory()
    assert_error(ask(client_with_key(scopes="Channels"), content.site), 401, "scope_missing")


def test_is_a_read(client_with_key):
    content = ContentFactory()
    assert ask(client_with_key(scopes="Contents:read"), content.site).status_code == 200


def test_a_key_of_another_site_is_refused_whether_the_site_exists_or_not(client_with_key):
    content = ContentFactory()
    limited = client_with_key(scopes="Contents", site_ids=str(content.site_id))
    assert ask(limited, content.site).status_code == 200
    for site_id in (SiteFactory().pk, 10**9):
        assert_error(limited.post(PATH, {"siteId": site_id}), 401, "site_not_allowed")


@pytest.mark.parametrize("more", [{}, {"wheres": [{"column": "id", "value": "1"}]}, {"tagNames": ["t"]}])
@pytest.mark.parametrize("site_id", [0, -1, 10**9, 2**63 - 1])
def test_an_unknown_site_is_400(api, site_id, more):
    body = assert_error(api.post(PATH, {"siteId": site_id, **more}), 400, "site_not_found")
    assert body["message"] == f"Site {site_id} was not found."


@pytest.mark.parametrize("more", [{}, {"wheres": [{"column": "id", "value": "1"}]}, {"tagNames": ["t"]}])
def test_an_unknown_channel_is_400(api, more):
    site, other = SiteFactory(), ChannelFactory()
    for channel_id in (-5, 10**9, other.pk, other.site_id):
        body = assert_error(ask(api, site, channelId=channel_id, **more), 400, "channel_not_found")
        assert body["message"] == f"Channel {channel_id} was not found in site {site.pk}."


def test_channel_0_is_the_home_channel(api):
    content = ContentFactory()
    ContentFactory()
    answer = ask(api, content.site, channelId=0).json()
    assert [listed["id"] for listed in answer["contents"]] == [content.pk]


def test_a_trashed_channel_is_400(api):
    channel = ChannelFactory(trashed_at=datetime(2020, 1, 1))
    assert_error(ask(api, channel.site, channelId=channel.pk), 400, "channel_not_found")


@pytest.mark.parametrize("body", [
    {},
    {"siteId": None},
])  # fmt: skip
def test_the_site_is_required(api, body):
    assert_error(api.post(PATH, body), 400, "missing_member")


WRONG = {
    "siteId": ["x", True, [1], {}, 1.5, 2**63, "9" * 30],
    "channelId": ["x", ""],
    "checked": ["x", 1, 0, [], ""],
    "top": ["yes"],
    "recommend": ["yes"],
    "hot": ["yes"],
    "color": ["yes"],
    "groupNames": ["a", {"a": 1}, [1], [None], [["a"]]],
    "tagNames": ["a", [1]],
    "wheres": ["x", {"column": "id", "value": "1"}, ["x"], [None], [[]], 1],
    "orders": ["x", {"column": "id", "desc": True}, ["x"], [None], 1],
    "page": ["x", True],
    "perPage": ["x", True],
}


@pytest.mark.any_database
@pytest.mark.parametrize("member,value", [(name, value) for name, values in WRONG.items() for value in values])
def test_a_value_that_cannot_be_read_is_400_and_named(api, member, value):
    site = SiteFactory()
    response = api.post(PATH, {"siteId": site.pk, member: value})
    body = assert_error(response, 400)
    assert body["code"] in {"invalid_value", "body_not_object"}
    assert member in body["message"]


def test_a_member_in_two_spellings_is_400(api):
    site = SiteFactory()
    assert_error(ask(api, site, SiteId=site.pk), 400, "duplicate_member")


@pytest.mark.parametrize("body", [b"[]", b"1", b'"x"', b"null", b"{", b"siteId=1", b"\xff"])
def test_a_body_that_is_no_json_object_is_400(api, body):
    assert_error(api.send("POST", PATH, body), 400, "body_not_object")


@pytest.mark.parametrize("method", ["get", "put", "delete"])
def test_other_verbs_are_405(api, method):
    assert_error(getattr(api, method)(PATH), 405, "method_not_allowed")
