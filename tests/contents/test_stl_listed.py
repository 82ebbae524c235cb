"""Lists that ranges of indexes answer."""

import random
from urllib.parse import urlencode

import pytest

from channels_app.models import Channel
from contents.models import Content
from tests.factories import ChannelFactory, ContentFactory

FLAGS = {"isTop": "is_top", "isHot": "is_hot"}


@pytest.fixture
def channel(db):
    """A channel with six below it, and contents whose taxis repeats from channel to channel."""
    chance = random.Random(7)
    top = ChannelFactory()
    channels = [top, *(ChannelFactory(parent=top) for _ in range(3))]
    channels += [ChannelFactory(parent=channels[1]) for _ in range(3)]
    for one in channels:
        for _ in range(chance.randint(0, 9)):
            ContentFactory(
                channel=one,
                taxis=chance.randint(1, 12),
                is_checked=chance.random() < 0.8,
                is_top=chance.random() < 0.3,
                is_hot=chance.random() < 0.5,
            )
    ContentFactory(channel=ChannelFactory(site=top.site))
    return top


ORDERS = {
    "": lambda content: (content.is_top, content.taxis, content.pk),
    "Back": lambda content: (content.is_top, -content.taxis, content.pk),
    "AddDate": lambda content: (content.is_top, content.add_date, content.pk),
}


@pytest.mark.parametrize("scope", ["Self", "All"])
@pytest.mark.parametrize("order", ORDERS)
def test_a_part_of_a_list_is_what_sorting_all_gives(api, channel, scope, order):
    covered = Channel.objects.in_channel(channel.pk) if scope == "All" else [channel]
    contents = Content.objects.filter(channel__in=covered, is_checked=True)
    parts = [(0, 1), (0, 4), (4, 4), (2, 50), (0, 0)]
    for flags in ({}, {"isTop": True}, {"isTop": False}, {"isHot": True}, {"isHot": False}):
        wanted = [one for one in contents if all(getattr(one, FLAGS[name]) is value for name, value in flags.items())]
        wanted.sort(key=ORDERS[order], reverse=True)
        for first, count in parts:
            query = {"siteId": channel.site_id, "channelId": channel.pk, "scope": scope, "order": order}
            query |= {"startNum": first + 1, "totalNum": count} | flags
            records = api.get(f"/api/v1/stl/contents?{urlencode(query)}").json()["value"]
            part = wanted[first : first + count] if count else wanted[first:]
            assert [record["id"] for record in records] == [content.pk for content in part], query
