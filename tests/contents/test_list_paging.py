"""`POST /contents`: pages and totals."""

import pytest

from tests.assertions import assert_error
from tests.cases import each_once
from tests.contents.asking import ask, read
from tests.factories import ChannelFactory, ContentFactory
from tests.worlds import world

# Ways through the list: indexes of channels, of a tag, by date, and a search by rules.
WAYS = {
    "default order": {},
    "channel": {"checked": True},
    "flag": {"hot": True},
    "tag": {"tagNames": ["t"]},
    "group": {"groupNames": ["g"]},
    "newest": {"orders": [{"column": "addDate", "desc": True}]},
    "oldest": {"orders": [{"column": "AddDate", "desc": False}]},
    "title": {"orders": [{"column": "title", "desc": False}]},
    "rule": {"wheres": [{"column": "title", "operator": "Like", "value": "%"}]},
    "names": {"tagNames": ["t", "u"], "groupNames": ["g"]},
}


@world
def seven():
    """A channel of seven contents that stand alike in every order but that of their ids."""
    channel = ChannelFactory()
    same = ContentFactory(
        channel=channel, title="same", taxis=1, is_checked=True, is_hot=True, tags="t", group_name_collection="g"
    )
    for _ in range(6):
        ContentFactory(
            channel=channel, title="same", taxis=1, is_checked=True, is_hot=True, tags="t",
            group_name_collection="g", add_date=same.add_date,
        )  # fmt: skip
    return channel


def ids(answer):
    return [record["id"] for record in answer["contents"]]


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_pages_follow_each_other_without_gap_or_overlap(api, seven, way):
    whole = ids(read(api, seven.site, perPage=100, **way))
    pages = [read(api, seven.site, page=page, perPage=3, **way) for page in (1, 2, 3)]
    assert len(whole) == 7
    assert [page["totalCount"] for page in pages] == [7, 7, 7]
    assert [ids(page) for page in pages] == [whole[:3], whole[3:6], whole[6:]]


@each_once(
    ("way", list(WAYS.values())),
    ("page", [1000, 1, 2, 3, 4, 2**31, 2**53, 2**63 - 1]),
)
def test_the_total_is_the_same_on_every_page(api, seven, way, page):
    answer = read(api, seven.site, page=page, perPage=3, **way)
    assert answer["totalCount"] == 7
    assert len(answer["contents"]) == {1: 3, 2: 3, 3: 1}.get(page, 0)


@pytest.mark.parametrize("page", [1, 0, -1, -(2**63), "1", 1.0, None])
def test_page_1_is_the_default(api, seven, page):
    assert ids(read(api, seven.site, perPage=3, page=page)) == ids(read(api, seven.site, perPage=3))


@pytest.mark.parametrize("per_page", [20, 0, -1, -(2**63), "20", None])
def test_twenty_a_page_is_the_default(api, per_page):
    channel = ChannelFactory()
    ContentFactory.create_batch(21, channel=channel)
    answer = read(api, channel.site, perPage=per_page)
    assert len(answer["contents"]) == 20
    assert answer["totalCount"] == 21
    assert len(read(api, channel.site, perPage=per_page, page=2)["contents"]) == 1


@pytest.mark.parametrize("per_page", [1001, 2**31, 2**63 - 1])
def test_more_a_page_than_the_limit_is_400_and_names_it(api, seven, per_page):
    body = assert_error(ask(api, seven.site, perPage=per_page), 400, "page_too_large")
    assert "1000" in body["message"]


def test_the_limit_itself_is_allowed(api, seven):
    assert read(api, seven.site, perPage=1000)["totalCount"] == 7


def test_the_limit_is_a_setting(api, seven, settings):
    settings.CMS_MAX_PER_PAGE = 2
    assert len(read(api, seven.site, perPage=2)["contents"]) == 2
    assert_error(ask(api, seven.site, perPage=3), 400, "page_too_large")
