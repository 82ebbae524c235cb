"""The two ways to the first contents of many channels give the same."""

import random

import pytest

from contents import stl_listed
from tests.factories import ChannelFactory, ContentFactory


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


@pytest.mark.parametrize("order", ["", "Back", "AddDate"])
@pytest.mark.parametrize("flags", ["", "&isTop=true", "&isTop=false", "&isHot=true", "&isHot=false&isTop=true"])
@pytest.mark.parametrize("part", ["totalNum=1", "totalNum=4", "totalNum=4&startNum=5", "totalNum=50&startNum=3"])
def test_merging_channels_gives_what_sorting_all_gives(api, monkeypatch, channel, order, flags, part):
    path = f"/api/v1/stl/contents?siteId={channel.site_id}&channelId={channel.pk}&scope=All&{part}{flags}&order={order}"
    answers = []
    for contents_a_channel in (-1, 10**6):
        monkeypatch.setattr(stl_listed, "_WORTH_A_CHANNEL", contents_a_channel)
        answers.append([record["id"] for record in api.get(path).json()["value"]])
    assert answers[0] == answers[1]
    assert answers[0] or part != "totalNum=1" or flags
