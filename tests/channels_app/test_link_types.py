"""`navigationUrl` of channels that lead to a child channel or a content."""

from datetime import datetime
from itertools import product

import pytest

from channels_app.attributes import TAXIS_TYPES
from channels_app.models import Channel, LinkType
from contents.models import Content
from tests.factories import ChannelFactory, ContentFactory, SiteFactory
from tests.worlds import world

pytestmark = [pytest.mark.django_db, pytest.mark.every_case]

NO_LINK = "javascript:;"
OWN, CHILD, LAST, FIRST = "own page", "first child", "last added child", "first content"


@world
def site():
    return SiteFactory(site_dir="museum")


def get(api, channel):
    response = api.get(f"/api/v1/channels/{channel.site_id}/{channel.pk}")
    assert response.status_code == 200, response.content
    return response.json()["value"]["navigationUrl"]


def page(channel):
    return f"/museum/channels/{channel.pk}.html"


def content_page(content):
    return f"/museum/contents/{content.channel_id}/{content.pk}.html"


def content_path(content):
    return f"/api/v1/contents/{content.site_id}/{content.channel_id}/{content.pk}"


# By link type: without and with children; with no content, one, and several.
TYPES = {
    "None": ((OWN, OWN), (OWN, OWN, OWN)),
    "NoLink": ((NO_LINK, NO_LINK), (NO_LINK, NO_LINK, NO_LINK)),
    "NoLinkIfContentNotExists": ((NO_LINK, NO_LINK), (NO_LINK, OWN, OWN)),
    "LinkToOnlyOneContent": ((OWN, OWN), (OWN, FIRST, OWN)),
    "NoLinkIfContentNotExistsAndLinkToOnlyOneContent": ((NO_LINK, NO_LINK), (NO_LINK, FIRST, OWN)),
    "LinkToFirstContent": ((OWN, OWN), (OWN, FIRST, FIRST)),
    "NoLinkIfContentNotExistsAndLinkToFirstContent": ((NO_LINK, NO_LINK), (NO_LINK, FIRST, FIRST)),
    "NoLinkIfChannelNotExists": ((NO_LINK, OWN), (NO_LINK, NO_LINK, NO_LINK)),
    "LinkToLastAddChannel": ((OWN, LAST), (OWN, OWN, OWN)),
    "LinkToFirstChannel": ((OWN, CHILD), (OWN, OWN, OWN)),
    "NoLinkIfChannelNotExistsAndLinkToLastAddChannel": ((NO_LINK, LAST), (NO_LINK, NO_LINK, NO_LINK)),
    "NoLinkIfChannelNotExistsAndLinkToFirstChannel": ((NO_LINK, CHILD), (NO_LINK, NO_LINK, NO_LINK)),
}
CONTENTS = {"none": (), "one": (True,), "several": (True, True), "unapproved": (False, False), "mixed": (False, True)}


def test_every_link_type_is_in_the_table():
    assert set(TYPES) == set(LinkType.values)


LINK, FILE = {"link_url": "https://x.example/"}, {"file_path": "/x.html"}


# An address of its own counts wherever a type leads to the own page: one type of each branch of `decide`.
@pytest.mark.parametrize(
    ("kind", "place", "own"),
    [
        *product(TYPES, [0, 1], [{}]),
        *product(["None", "NoLink", "LinkToFirstChannel", "NoLinkIfChannelNotExists"], [0, 1], [LINK, FILE]),
    ],
)
def test_a_type_leads_by_child_channels(api, site, kind, place, own):
    channel = ChannelFactory(site=site, link_type=kind, **own)
    expected = (
        {OWN: {"link_url": "https://x.example/", "file_path": "/museum/x.html"}.get(*own, page(channel))}
        if own
        else {OWN: page(channel)}
    )
    if place:
        first = ChannelFactory(parent=channel, add_date=datetime(2018, 1, 1))
        last = ChannelFactory(parent=channel, add_date=datetime(2020, 1, 1))
        ChannelFactory(parent=channel, add_date=datetime(2019, 1, 1))
        ChannelFactory(parent=first, add_date=datetime(2021, 1, 1))
        # Contents of channels below do not count.
        ContentFactory(channel=first, is_checked=True)
        expected |= {CHILD: page(first), LAST: page(last)}
    wanted = TYPES[kind][0][place]
    assert get(api, channel) == expected.get(wanted, wanted)


# The other contents are those that are not approved, which no type counts.
@pytest.mark.parametrize(
    ("kind", "approved"),
    [
        *product(TYPES, ["none", "one", "several"]),
        *product(["NoLinkIfContentNotExists", "LinkToOnlyOneContent"], ["unapproved", "mixed"]),
        ("NoLinkIfContentNotExistsAndLinkToFirstContent", "mixed"),
    ],
)
def test_a_type_leads_by_approved_contents(api, site, kind, approved):
    channel = ChannelFactory(site=site, link_type=kind)
    contents = [ContentFactory(channel=channel, is_checked=is_checked) for is_checked in CONTENTS[approved]]
    ContentFactory(channel=channel, is_checked=True, trashed_at=datetime(2020, 1, 1))
    for other in (ChannelFactory(site=site), ChannelFactory(site=SiteFactory())):
        ContentFactory(channel=other, is_checked=True)
    wanted = TYPES[kind][1][{"none": 0, "one": 1, "several": 2, "unapproved": 0, "mixed": 1}[approved]]
    expected = {OWN: page(channel), FIRST: content_page(contents[-1]) if contents else ""}
    assert get(api, channel) == expected.get(wanted, wanted)
    (record,) = [one for one in api.get(f"/api/v1/channels/{site.pk}").json()["value"] if one["id"] == channel.pk]
    assert record["navigationUrl"] == expected.get(wanted, wanted)


def test_contents_of_channels_below_do_not_count(api, site):
    channel = ChannelFactory(site=site, link_type="LinkToFirstContent")
    strict = ChannelFactory(site=site, link_type="NoLinkIfContentNotExists")
    for one in (channel, strict):
        ContentFactory(channel=ChannelFactory(parent=one), is_checked=True, is_top=True)
    assert (get(api, channel), get(api, strict)) == (page(channel), NO_LINK)
    content = ContentFactory(channel=channel, is_checked=True)
    assert get(api, channel) == content_page(content)


def test_of_children_added_at_once_the_later_one_is_the_last(api, site):
    channel = ChannelFactory(site=site, link_type="LinkToLastAddChannel")
    children = [ChannelFactory(parent=channel, add_date=datetime(2018, 1, 1)) for _ in range(3)]
    assert get(api, channel) == page(children[-1])


# ---- which content is the first

KEYS = {
    "OrderById": lambda one: one.pk,
    "OrderByIdDesc": lambda one: -one.pk,
    "OrderByChannelId": lambda one: -one.pk,
    "OrderByChannelIdDesc": lambda one: -one.pk,
    "OrderByAddDate": lambda one: (one.add_date, -one.pk),
    "OrderByAddDateDesc": lambda one: (datetime(9999, 1, 1) - one.add_date, -one.pk),
    "OrderByLastEditDate": lambda one: (one.last_edit_date, -one.pk),
    "OrderByLastEditDateDesc": lambda one: (datetime(9999, 1, 1) - one.last_edit_date, -one.pk),
    "OrderByTaxis": lambda one: (one.taxis, -one.pk),
    "OrderByTaxisDesc": lambda one: (-one.taxis, -one.pk),
    "OrderByHits": lambda one: (-one.hits, -one.pk),
    "OrderByHitsByDay": lambda one: (-one.hits_by_day, -one.pk),
    "OrderByHitsByWeek": lambda one: (-one.hits_by_week, -one.pk),
    "OrderByHitsByMonth": lambda one: (-one.hits_by_month, -one.pk),
    "OrderByRandom": lambda one: (-one.taxis, -one.pk),
    "": lambda one: (-one.taxis, -one.pk),
    "Nonsense": lambda one: (-one.taxis, -one.pk),
}


def test_every_order_is_in_the_table():
    assert set(KEYS) == {*TAXIS_TYPES, "", "Nonsense"}


@pytest.mark.parametrize("pinned", [(), (2,), (1, 3), (0, 1, 2, 3, 4)])
def test_the_first_content_follows_the_order_of_the_channel(api, site, pinned):
    channel = ChannelFactory(site=site, link_type="LinkToFirstContent")
    figures = [  # taxis, days of adding and editing, hits; two of each are equal
        (3, 5, 1, (4, 1, 3, 2)),
        (5, 1, 2, (1, 3, 2, 4)),
        (1, 4, 5, (2, 4, 1, 3)),
        (5, 5, 5, (4, 4, 3, 4)),
        (1, 1, 1, (3, 2, 1, 1)),
    ]
    contents = [
        ContentFactory(
            channel=channel,
            is_checked=True,
            is_top=place in pinned,
            taxis=taxis,
            add_date=datetime(2018, 1, added),
            last_edit_date=datetime(2018, 2, edited),
            **dict(zip(("hits", "hits_by_day", "hits_by_week", "hits_by_month"), hits, strict=True)),
        )
        for place, (taxis, added, edited, hits) in enumerate(figures)
    ]
    # Before all of them in every order, but not approved.
    ContentFactory(channel=channel, is_top=True, taxis=9, hits=9, hits_by_day=9, hits_by_week=9, hits_by_month=9)
    for order, key in KEYS.items():
        Channel.objects.filter(pk=channel.pk).update(settings={"defaultTaxisType": order})
        pinned_first = "Hits" not in order
        first = min(contents, key=lambda one: (pinned_first and not one.is_top, key(one)))
        assert get(api, channel) == content_page(first), order


# ---- one leads to another


def test_channels_lead_on_to_where_their_children_lead(api, site):
    top = ChannelFactory(site=site, link_type="LinkToFirstChannel")
    middle = ChannelFactory(parent=top, link_type="LinkToLastAddChannel", add_date=datetime(2018, 1, 1))
    ChannelFactory(parent=top, link_type="NoLink", add_date=datetime(2019, 1, 1))
    low = ChannelFactory(parent=middle, link_type="LinkToFirstContent")
    chain = (top, middle, low)
    assert [get(api, one) for one in chain] == [page(low)] * 3
    content = ContentFactory(channel=low, is_checked=True)
    assert [get(api, one) for one in chain] == [content_page(content)] * 3
    Channel.objects.filter(pk=low.pk).update(link_type="NoLink")
    assert [get(api, one) for one in chain] == [NO_LINK] * 3
    Channel.objects.filter(pk=top.pk).update(link_type="LinkToLastAddChannel")
    assert get(api, top) == NO_LINK
    Channel.objects.filter(pk=low.pk).update(link_type="None", link_url="@/x.html")
    assert get(api, middle) == "/museum/x.html"


def test_a_child_in_the_trash_is_none(api, site):
    channel = ChannelFactory(site=site, link_type="NoLinkIfChannelNotExistsAndLinkToFirstChannel")
    child = ChannelFactory(parent=channel)
    assert get(api, channel) == page(child)
    assert api.delete(f"/api/v1/channels/{site.pk}/{child.pk}").status_code == 200
    assert get(api, channel) == NO_LINK


def test_the_first_child_is_that_of_the_tree_s_order(api, site):
    channel = ChannelFactory(site=site, link_type="LinkToFirstChannel")
    one, other = ChannelFactory(parent=channel), ChannelFactory(parent=channel)
    assert get(api, channel) == page(one)
    api.post(f"/api/v1/channels/{site.pk}/{other.pk}/actions/move", {"before": one.pk})
    assert get(api, channel) == page(other)


def test_a_content_leads_where_its_own_address_does(api, site):
    channel = ChannelFactory(site=site, link_type="LinkToFirstContent", content_file_path_rule="/{@title}.html")
    content = ContentFactory(channel=channel, is_checked=True, title="a")
    assert get(api, channel) == "/museum/a.html"
    Content.objects.filter(pk=content.pk).update(link_url="@/x")
    assert get(api, channel) == "/museum/x"
    near = ContentFactory(channel=ChannelFactory(site=site))
    Content.objects.filter(pk=content.pk).update(reference_id=near.pk)
    assert get(api, channel) == f"/museum/contents/{near.channel_id}/{near.pk}.html"
    far = ContentFactory(is_checked=True)
    Content.objects.filter(pk=content.pk).update(reference_id=far.pk)
    assert get(api, channel) == NO_LINK


# ---- changes of contents, through the API, while the tree is kept


def test_a_change_of_contents_is_seen_at_once(api, site):
    channel = ChannelFactory(site=site, link_type="NoLinkIfContentNotExistsAndLinkToFirstContent")
    above = Channel.objects.get(pk=channel.pk)
    assert get(api, above) == NO_LINK

    def create(**members):
        made = api.post(f"/api/v1/contents/{site.pk}/{channel.pk}", {"title": "x", **members}).json()["value"]
        return Content.objects.get(pk=made["id"])

    one = create()
    assert get(api, channel) == NO_LINK
    approved = {"siteId": site.pk, "contents": [{"channelId": channel.pk, "id": one.pk}]}
    assert api.post("/api/v1/contents/check", approved).status_code == 200
    assert get(api, channel) == content_page(one)
    other = create(isChecked=True)
    assert get(api, channel) == content_page(other)
    api.put(content_path(one), {"isTop": True})
    assert get(api, channel) == content_page(one)
    api.put(content_path(one), {"linkUrl": "~/link"})
    assert get(api, channel) == "/link"
    api.put(content_path(one), {"isTop": False, "linkUrl": ""})
    assert get(api, channel) == content_page(other)
    api.put(content_path(one), {"taxis": 100})
    assert get(api, channel) == content_page(one)
    api.delete(content_path(one))
    assert get(api, channel) == content_page(other)
    api.put(content_path(other), {"isChecked": False})
    assert get(api, channel) == NO_LINK


def test_a_warm_read_has_a_fixed_number_of_statements(api, site, django_assert_num_queries):
    api.get(f"/api/v1/channels/{site.pk}")
    for _ in range(2):
        for _ in range(10):
            channel = ChannelFactory(site=site, link_type="LinkToFirstContent")
            ContentFactory(channel=channel, is_checked=True)
            ChannelFactory(parent=ChannelFactory(site=site, link_type="LinkToFirstChannel"))
        api.get(f"/api/v1/channels/{site.pk}")
        with django_assert_num_queries(3):  # the site's number, first contents, their addresses
            api.get(f"/api/v1/channels/{site.pk}")
