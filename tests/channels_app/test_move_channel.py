"""`POST /channels/{siteId}/{channelId}/actions/move`."""

import pytest

from channels_app.models import Channel
from channels_app.services import trash_channel
from channels_app.tree_fields import Survey
from tests.assertions import assert_error
from tests.cases import each_once
from tests.contents.asking import titles
from tests.contents.derived import assert_derived
from tests.factories import ChannelFactory, ContentFactory, SiteFactory
from tests.worlds import world

pytestmark = pytest.mark.django_db


class Family:
    """home (a (b c (d e)) f g), with a content in each but the home channel."""

    def __init__(self):
        self.site = SiteFactory()
        self.home = Channel.objects.get(pk=self.site.pk)
        self.a = ChannelFactory(site=self.site)
        self.b = ChannelFactory(parent=self.a)
        self.c = ChannelFactory(parent=self.a)
        self.d = ChannelFactory(parent=self.c)
        self.e = ChannelFactory(parent=self.c)
        self.f = ChannelFactory(site=self.site)
        self.g = ChannelFactory(site=self.site)
        for name in "abcdefg":
            ContentFactory(channel=getattr(self, name), title=name, tags="t", is_hot=name in "ace")

    def id(self, name):
        return getattr(self, name).pk if isinstance(name, str) else name


@world
def family():
    return Family()


def address(channel, site=None, id=None):
    place = f"{channel.site_id if site is None else site}/{channel.pk if id is None else id}"
    return f"/api/v1/channels/{place}/actions/move"


def move(api, family, name, parent=None, before=None):
    """Move by names; without a parent it is not sent, and `before` is null for the last place."""
    body = {"before": None if before is None else family.id(before)}
    body |= {} if parent is None else {"parentId": family.id(parent)}
    return api.post(address(getattr(family, name)), body)


def shape(api, family):
    """The tree as `a(bc(de))fg`."""
    names = {getattr(family, name).pk: name for name in "abcdefg"}

    def show(record):
        below = "".join(map(show, record["children"]))
        return names[record["id"]] + (f"({below})" if below else "")

    return "".join(map(show, api.get(f"/api/v1/channels/{family.site.pk}").json()["value"]))


def assert_tree(family):
    assert Survey(family.site.pk).problems == []
    assert_derived()


def stored():
    return list(Channel.objects.order_by("pk").values())


MOVES = [
    # which, below, before, the tree afterwards
    ("f", None, "a", "fa(bc(de))g"),
    ("a", None, "g", "fa(bc(de))g"),
    ("a", None, None, "fga(bc(de))"),
    ("g", "home", "f", "a(bc(de))gf"),
    ("g", "home", "a", "ga(bc(de))f"),
    ("c", None, "b", "a(c(de)b)fg"),
    ("b", "a", None, "a(c(de)b)fg"),
    ("c", "f", None, "a(b)f(c(de))g"),
    ("c", "home", "a", "c(de)a(b)fg"),
    ("c", "home", None, "a(b)fgc(de)"),
    ("c", 0, "f", "a(b)c(de)fg"),
    ("c", "home", "g", "a(b)fc(de)g"),
    ("g", "c", "d", "a(bc(gde))f"),
    ("g", "c", "e", "a(bc(dge))f"),
    ("g", "c", None, "a(bc(deg))f"),
    ("g", "e", None, "a(bc(de(g)))f"),
    ("a", "g", None, "fg(a(bc(de)))"),
    ("a", "f", None, "f(a(bc(de)))g"),
    ("e", "a", "b", "a(ebc(d))fg"),
    ("e", "b", None, "a(b(e)c(d))fg"),
    ("f", "a", "c", "a(bfc(de))g"),
]


@pytest.mark.parametrize("name,parent,before,tree", MOVES)
def test_goes_below_the_parent_before_a_sibling_or_last(api, family, name, parent, before, tree):
    response = move(api, family, name, parent, before)
    assert response.status_code == 200, response.content
    assert list(response.json()) == ["value"]
    value = response.json()["value"]
    assert value["id"] == family.id(name)
    assert value == api.get(f"/api/v1/channels/{family.site.pk}/{value['id']}").json()["value"]
    assert shape(api, family) == tree
    assert_tree(family)


@pytest.mark.parametrize("name,parent,before", [
    ("f", None, "f"),
    ("f", "home", "f"),
    ("c", "a", "c"),
    ("f", None, "g"),
    ("g", None, None),
    ("g", "home", None),
    ("c", None, None),
])  # fmt: skip
def test_a_move_to_where_it_stands_changes_nothing(api, family, name, parent, before):
    rows = stored()
    assert move(api, family, name, parent, before).status_code == 200
    assert stored() == rows


def test_the_figures_follow_at_once(api, family):
    before = api.get(f"/api/v1/channels/{family.site.pk}/{family.c.pk}").json()["value"]
    value = move(api, family, "c", "g").json()["value"]
    path = f"{family.site.pk},{family.g.pk}"
    figures = {"parentId": family.g.pk, "parentsPath": path, "taxis": 6, "isLastNode": True, "lastNode": True}
    children = [
        child | {"parentsPath": f"{path},{family.c.pk}", "taxis": taxis}
        for taxis, child in enumerate(before["children"], start=7)
    ]
    assert value == before | figures | {"children": children}
    parent = api.get(f"/api/v1/channels/{family.site.pk}/{family.a.pk}").json()["value"]
    assert (parent["childrenCount"], parent["children"][0]["isLastNode"]) == (1, True)


def test_lists_of_contents_follow_at_once(api, family):
    def lists():
        named = {name: "".join(sorted(titles(api, family.site, channelId=family.id(name)))) for name in "acfg"}
        return named | {"hot in g": "".join(sorted(titles(api, family.site, channelId=family.g.pk, hot=True)))}

    assert lists() == {"a": "abcde", "c": "cde", "f": "f", "g": "g", "hot in g": ""}
    move(api, family, "c", "g")
    assert lists() == {"a": "ab", "c": "cde", "f": "f", "g": "cdeg", "hot in g": "ce"}
    move(api, family, "g", "f")
    assert lists() == {"a": "ab", "c": "cde", "f": "cdefg", "g": "cdeg", "hot in g": "ce"}
    assert len(titles(api, family.site)) == 7
    assert_tree(family)


def test_what_is_in_the_trash_below_it_comes_along(api, family):
    trash_channel(family.site.pk, family.e.pk)
    move(api, family, "c", "g")
    assert shape(api, family) == "a(b)fg(c(d))"
    assert_tree(family)


ERROR_MESSAGES = [
    ("home", "a", None, "home_channel", "The home channel cannot be moved; it is the site itself."),
    ("home", None, None, "home_channel", "The home channel cannot be moved; it is the site itself."),
    (
        "a",
        "a",
        None,
        "channel_below_itself",
        "Channel {a} cannot go below itself; channel {a} is one of its descendants.",
    ),
    (
        "a",
        "e",
        None,
        "channel_below_itself",
        "Channel {a} cannot go below itself; channel {e} is one of its descendants.",
    ),
    (
        "a",
        "a",
        "b",
        "channel_below_itself",
        "Channel {a} cannot go below itself; channel {a} is one of its descendants.",
    ),
    ("f", "other", None, "channel_not_found", "Channel {other} was not found in site {home}."),
    ("f", "other_home", None, "channel_not_found", "Channel {other_home} was not found in site {home}."),
    ("f", "trashed", None, "channel_not_found", "Channel {trashed} was not found in site {home}."),
    ("f", -1, None, "channel_not_found", "Channel -1 was not found in site {home}."),
    ("f", None, "b", "channel_not_found", "Channel {b} is not a child of channel {home}."),
    ("f", "a", "d", "channel_not_found", "Channel {d} is not a child of channel {a}."),
    ("f", "a", "f", "channel_not_found", "Channel {f} is not a child of channel {a}."),
    ("f", "a", "a", "channel_not_found", "Channel {a} is not a child of channel {a}."),
    ("f", None, "trashed", "channel_not_found", "Channel {trashed} is not a child of channel {home}."),
    ("f", None, "other", "channel_not_found", "Channel {other} is not a child of channel {home}."),
    ("f", None, 0, "channel_not_found", "Channel 0 is not a child of channel {home}."),
]


def test_a_place_that_there_is_not_is_400(api, family):
    family.trashed, family.other = ChannelFactory(site=family.site), ChannelFactory()
    family.other_home = Channel.objects.get(pk=family.other.site_id)
    trash_channel(family.site.pk, family.trashed.pk)
    rows = stored()
    for name, parent, before, code, message in ERROR_MESSAGES:
        found = assert_error(move(api, family, name, parent, before), 400, code)["message"]
        assert found == message.format(**{key: each.pk for key, each in vars(family).items()})
        assert stored() == rows, (name, parent, before)
    assert_tree(family)


@each_once(
    ("name", ["parentId", "before"]),
    ("value", ["x", "", 1.5, [], True, 2**63]),
)
def test_a_place_that_is_no_number_is_400(api, family, name, value):
    rows = stored()
    assert name in assert_error(api.post(address(family.f), {name: value}), 400, "invalid_value")["message"]
    assert stored() == rows


def test_null_means_the_last_place(api, family):
    for body in ({"before": None}, {"parentId": None, "before": None}, {"Before": None}):
        move(api, family, "g", "home", "a")
        assert api.post(address(family.g), body).status_code == 200
        assert shape(api, family) == "a(bc(de))fg"


def test_a_body_that_names_no_place_is_400(api, family):
    for body in (None, {}, {"what": "ever"}):
        assert_error(api.post(address(family.a), body), 400, "missing_member")
    assert shape(api, family) == "a(bc(de))fg"


@pytest.mark.parametrize("wrong,code", [
    ({"site": 0}, "site_not_found"),
    ({"id": -1}, "channel_not_found"),
    ({"id": 2**63 - 1}, "channel_not_found"),
    ({"id": 10**40}, "route_not_found"),
])  # fmt: skip
def test_is_404_for_what_does_not_exist_whatever_the_body(api, family, wrong, code):
    assert_error(api.post(address(family.f, **wrong), {"before": family.a.pk}), 404, code)
    assert_error(api.send("POST", address(family.f, **wrong), b"{"), 404, code)


def test_is_404_from_the_trash_and_through_another_site(api, family):
    assert_error(api.post(address(family.f, site=SiteFactory().pk)), 404, "channel_not_found")
    trash_channel(family.site.pk, family.f.pk)
    assert_error(api.post(address(family.f)), 404, "channel_not_found")


def test_needs_the_scope_to_write_and_the_site(client_with_key, stranger, family):
    elsewhere = client_with_key(scopes="Channels", site_ids=str(SiteFactory().pk))
    rows, body = stored(), {"before": family.a.pk}
    assert_error(stranger.post(address(family.f), body), 401, "key_missing")
    assert_error(client_with_key(scopes="Channels:read").post(address(family.f), body), 401, "scope_missing")
    assert_error(elsewhere.post(address(family.f), body), 401, "site_not_allowed")
    assert stored() == rows
