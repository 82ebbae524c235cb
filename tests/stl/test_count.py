"""`GET /stl/count`."""

from datetime import datetime, timedelta

import pytest

from contents.lists import channel_stats
from contents.models import Content
from core.lib import clock
from tests.cases import each_once
from tests.factories import ChannelFactory, ContentFactory, SiteFactory
from tests.stl.asking import MISSING, ask, path, refused
from tests.worlds import world

pytestmark = [pytest.mark.django_db, pytest.mark.every_case]


@world
def site():
    """Home, a with b and c below it; 1, 2, 3 and 4 approved contents, and others that never count."""
    site = SiteFactory()
    a = ChannelFactory(site=site, index_name="a")
    b, c = ChannelFactory(parent=a, index_name="b"), ChannelFactory(parent=a, index_name="c", channel_name="C")
    for number, channel in enumerate([site.channels.get(parent=None), a, b, c], 1):
        for _ in range(number):
            ContentFactory(channel=channel, is_checked=True)
        ContentFactory(channel=channel, is_checked=False)
        gone = ContentFactory(channel=channel, is_checked=True)
        Content.objects.filter(pk=gone.pk).update(trashed_at=datetime(2020, 1, 1))
    return site


@pytest.mark.parametrize("query,expected", [
    ("", "1"),
    ("type=Contents", "1"),
    ("type=CONTENTS", "1"),
    ("type=", "1"),
    ("type=Channels", "1"),
    ("type=channels&channelIndex=a", "2"),
    # The scope is that of contents.
    ("type=channels&channelIndex=a&scope=All", "2"),
    ("type=Channels&channelIndex=b", "0"),
    ("type=Users", "0"),
    ("type=Comments&since=x", "0"),
    ("channelIndex=a", "2"),
    ("channelIndex=a&scope=Self", "2"),
    ("channelIndex=a&scope=Children", "7"),
    ("channelIndex=a&scope=SelfAndChildren", "9"),
    ("channelIndex=a&scope=descendant", "7"),
    ("channelIndex=a&scope=All", "9"),
    ("channelIndex=a&scope=nonsense", "2"),
    ("channelIndex=b&scope=Children", "0"),
    ("channelIndex=b&scope=Descendant", "0"),
    ("channelIndex=b&scope=All", "3"),
    ("scope=All", "10"),
    ("channelName=C", "4"),
    ("channelIndex=c&upLevel=1", "4"),
    ("channelIndex=nothing", "1"),
])  # fmt: skip
def test_counts_approved_contents_or_channels(api, site, query, expected):
    assert ask(api, "count", f"siteId={site.pk}&{query}") == expected


@pytest.mark.parametrize("query,expected", [
    ("upLevel=1", "2"), ("parent=true", "2"), ("topLevel=0", "1"), ("topLevel=1&scope=All", "9"),
])  # fmt: skip
def test_levels(api, site, query, expected):
    c = site.channels.get(index_name="c")
    assert ask(api, "count", f"siteId={site.pk}&channelId={c.pk}&{query}") == expected


@pytest.mark.parametrize("kind", ["", "Contents", "Channels", "nothing"])
def test_a_missing_channel_is_null(api, site, kind):
    assert ask(api, "count", siteId=site.pk, channelId=MISSING, type=kind) is None


HOURS = {"1": 1, "30": 30, "day": 25, "month": 800, "year": 9000}


@each_once(
    ("since,expected", [
    ("2D", 3),
    ("", 5),
    (" ", 5),
    ("2", 1),
    ("2h", 1),
    ("26H", 2),
    ("1d", 1),
    (" 2 d ", 3),
    ("1m", 3),
    ("2m", 4),
    ("1y", 4),
    ("2Y", 5),
    ("0", 0),
    ("0d", 0),
    ("999999999y", 5),
    ("9999h", 5),
]),
    ("few", [1, 3, 10_000]),
)  # fmt: skip
def test_since_counts_what_was_added_later(api, monkeypatch, since, expected, few):
    """Whether the newer contents are few, or the older ones, or neither."""
    monkeypatch.setattr(channel_stats, "_FEW", few)
    channel = ChannelFactory()
    now = clock.now()
    for hours in HOURS.values():
        ContentFactory(channel=channel, is_checked=True, add_date=now - timedelta(hours=hours))
    below = ChannelFactory(parent=channel)
    ContentFactory(channel=below, is_checked=True, add_date=now - timedelta(minutes=30))
    added_below = 0 if since.startswith("0") else 1

    def count(scope):
        return ask(api, "count", siteId=channel.site_id, channelId=channel.pk, since=since, scope=scope)

    assert count("Self") == str(expected)
    assert count("All") == str(expected + added_below)
    assert count("Descendant") == str(added_below)


@pytest.mark.parametrize("since", ["x", "d", "-1", "1.5", "1w", "1 0", "1" * 10, "１", "1dd", "2020-01-01"])
def test_a_since_that_cannot_be_read_is_400(api, site, since):
    assert refused(api, "count", "invalid_value", siteId=site.pk, since=since)["member"] == "since"


def test_text_attributes_do_nothing(api, site):
    assert ask(api, "count", siteId=site.pk, leftText="<", replace="(", startIndex=1, wordNum=1) == "1"


@pytest.mark.parametrize("query", [{"scope": "All"}, {"scope": "All", "since": "1d"}, {"type": "Channels"}])
def test_the_number_of_queries_does_not_grow(api, query, django_assert_max_num_queries):
    channel = ChannelFactory()
    address = path("count", query, siteId=channel.site_id)
    for _ in range(2):
        for _ in range(3):
            ContentFactory(channel=ChannelFactory(parent=channel), is_checked=True)
        api.get(address)
        with django_assert_max_num_queries(4):
            api.get(address)
