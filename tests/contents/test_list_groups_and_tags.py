"""`POST /contents`: filters by the names of groups and tags."""

import pytest

from contents.lists.request import MAX_NAMES
from contents.models import Content
from tests.assertions import assert_error
from tests.contents.asking import PATH, ask, titles
from tests.factories import ChannelFactory, ContentFactory

pytestmark = pytest.mark.every_case

MEMBERS = [("groupNames", "group_name_collection"), ("tagNames", "tags")]
ALWAYS = {"wheres": [{"column": "id", "operator": ">", "value": 0}]}


def made(**texts):
    """A channel whose contents are titled and named by the arguments."""
    channel = ChannelFactory()
    for title, names in texts.items():
        ContentFactory(channel=channel, title=title, group_name_collection=names, tags=names)
    return channel


NAMES = [
    (["news"], "abd"),
    (["News"], "e"),
    (["new"], ""),
    (["news", "ships"], "abcd"),
    (["ships", "nothing"], "bc"),
    (["nothing"], ""),
    ([" news "], "abd"),
    (["news", "news"], "abd"),
    (["", "ships"], "bc"),
    (["news,ships"], ""),
    (["50% 'off' \\ \"x\""], "f"),
    (["头条"], "g"),
    (["%"], ""),
    (["_ews"], ""),
]  # fmt: skip


@pytest.mark.parametrize("member,name", MEMBERS)
@pytest.mark.parametrize("more", [{}, ALWAYS, {"channelId": 0}])
def test_names_match_whole_items(api, member, name, more):
    channel = made(
        a="news", b="news,ships", c=" ships ,x", d=",other,, news", e="News,newspaper,news x",
        f="50% 'off' \\ \"x\"", g="头条,科技", h="",
    )  # fmt: skip
    more = {"channelId": channel.pk} if "channelId" in more else more
    for names, expected in NAMES:
        assert sorted(titles(api, channel.site, **{member: names}, **more)) == list(expected), names


@pytest.mark.parametrize("member,name", MEMBERS)
@pytest.mark.parametrize("names", [[], [""], [" "], None])
def test_no_names_are_no_filter(api, member, name, names):
    assert titles(api, made(a="x", b="").site, **{member: names}) == ["b", "a"]


@pytest.mark.parametrize("member,name", MEMBERS)
@pytest.mark.parametrize("blank", ["\u3000", "\t", "\n", "\u00a0"])
def test_other_blanks_belong_to_a_name(api, member, name, blank):
    channel = made(a=f"{blank}news{blank}", b="news")
    assert titles(api, channel.site, **{member: [f"{blank}news{blank}"]}) == ["a"]
    assert titles(api, channel.site, **{member: ["news"]}) == ["b"]


def test_groups_and_tags_hold_together(api):
    channel = ChannelFactory()
    for title, group, tag in [("a", "g", "t"), ("b", "g", ""), ("c", "", "t"), ("d", "t", "g")]:
        ContentFactory(channel=channel, title=title, group_name_collection=group, tags=tag)
    assert titles(api, channel.site, groupNames=["g"], tagNames=["t"]) == ["a"]
    assert titles(api, channel.site, groupNames=["g", "t"], tagNames=["t", "g"]) == ["d", "a"]


@pytest.mark.parametrize("member,name", MEMBERS)
def test_names_hold_together_with_flags_and_channels(api, member, name):
    above = ChannelFactory()
    below = ChannelFactory(parent=above)
    for title, channel, is_hot, is_checked in [
        ("a", above, True, True),
        ("b", below, True, False),
        ("c", below, False, True),
    ]:
        ContentFactory(channel=channel, title=title, is_hot=is_hot, is_checked=is_checked, **{name: "n"})
        ContentFactory(channel=channel, title=title + "without", is_hot=is_hot, is_checked=is_checked)
    asked = {member: ["n"]}
    assert sorted(titles(api, above.site, hot=True, **asked)) == ["a", "b"]
    assert sorted(titles(api, above.site, checked=True, **asked)) == ["a", "c"]
    assert titles(api, above.site, channelId=below.pk, **asked) == ["c", "b"]
    assert titles(api, above.site, channelId=below.pk, hot=True, checked=False, **asked) == ["b"]
    assert titles(api, above.site, orders=[{"column": "addDate", "desc": False}], hot=True, **asked) == ["a", "b"]


@pytest.mark.parametrize("member,name", MEMBERS)
def test_a_change_of_names_changes_the_lists(api, member, name):
    content = ContentFactory(title="a", **{name: "old,kept"})
    wire = {"tags": "tags"}.get(name, "groupNameCollection")
    api.put(f"{PATH}/{content.site_id}/{content.channel_id}/{content.pk}", {wire: "kept,new"})
    lists = {value: titles(api, content.site, **{member: [value]}) for value in ("old", "kept", "new")}
    assert lists == {"old": [], "kept": ["a"], "new": ["a"]}


@pytest.mark.parametrize("wire", ["groupNameCollection", "tags"])
@pytest.mark.parametrize("length,status", [(255, 200), (256, 400)])
def test_a_name_has_at_most_255_characters(api, wire, length, status):
    channel = ChannelFactory()
    address = f"{PATH}/{channel.site_id}/{channel.pk}"
    response = api.post(address, {"title": "a", wire: "x, " + "n" * length})
    assert response.status_code == status
    if status == 400:
        assert wire in assert_error(response, 400, "invalid_value")["message"]
    assert Content.objects.count() == (status == 200)


@pytest.mark.parametrize("member,name", MEMBERS)
def test_the_number_of_names_is_limited(api, member, name):
    channel = made(a="n1")
    names = [f"n{number}" for number in range(MAX_NAMES)]
    assert titles(api, channel.site, **{member: names}) == ["a"]
    assert_error(ask(api, channel.site, **{member: [*names, "x"]}), 400, "too_many_entries")


def test_a_content_may_have_as_many_names_as_its_text_holds(api):
    names = ",".join(f"{number:x}" for number in range(500))
    channel = made(a=names)
    assert titles(api, channel.site, tagNames=["0"], groupNames=["1f3"]) == ["a"]
