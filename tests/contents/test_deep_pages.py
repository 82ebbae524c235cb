"""Deep pages of the default order begin at a computed place; they are the pages that walking would give."""

import itertools

import pytest

from contents.lists import deep_pages
from contents.lists.page import read_page
from contents.lists.request import ListRequest
from core.rest.json import dump
from tests.factories import ChannelFactory, ContentFactory

FLAGS = [{}, {"checked": True}, {"checked": False}, {"top": True}, {"top": False}, {"hot": True, "checked": True}]


@pytest.fixture
def tree(db):
    """A channel with two levels below it, contents in each, and contents of another channel beside it."""
    upper = ChannelFactory()
    channels = [
        upper,
        lower := ChannelFactory(parent=upper),
        ChannelFactory(parent=lower),
        ChannelFactory(site=upper.site),
    ]
    states = itertools.cycle([{}, {"is_checked": True}, {"is_checked": True, "is_top": True}, {"is_top": True}])
    for channel, state, number in zip(channels * 9, states, range(36), strict=False):
        ContentFactory(channel=channel, is_hot=number % 3 == 0, **state)
    return upper


def pages(channel, flags, **place):
    """Every page of a list, and one past its end, three contents a page."""
    asked = {"site_id": channel.site_id, "per_page": 3} | place | flags
    total = read_page(ListRequest(**asked)).total
    read = [read_page(ListRequest(**asked, page=page)) for page in range(1, total // 3 + 3)]
    return [(page.total, dump([fragment.json for fragment in page.fragments])) for page in read]


@pytest.mark.parametrize("flags", FLAGS, ids=str)
def test_are_the_pages_that_walking_gives(tree, flags, monkeypatch):
    for place in ({}, {"channel_id": tree.pk}):
        walked = pages(tree, flags, **place)
        with monkeypatch.context() as patch:
            patch.setattr(deep_pages, "THRESHOLD", 1)
            assert pages(tree, flags, **place) == walked


def test_end_where_the_contents_end(tree):
    assert deep_pages.find_start(tree.site_id, 0, 0, 35).offset >= 0
    assert deep_pages.find_start(tree.site_id, 0, 0, 36) is None
