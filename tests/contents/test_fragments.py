"""The JSON of contents that the process keeps: never stale, bounded, and no obstacle when nothing is found."""

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from channels_app.models import TreeVersion
from contents.lists import fragments
from contents.lists.fragments import Fragment, FragmentCache
from contents.models import Content, ContentBody
from tests.contents.test_list_tags import CHANGES, WAYS, make_content, once, put
from tests.factories import ChannelFactory, ContentFactory

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif("connection.vendor != 'postgresql'", reason="SQLite has no stamps of rows; nothing is kept."),
]


@pytest.fixture
def content(db):
    return make_content()


def by_id(api, content, **headers):
    return api.get(f"/api/v1/contents/{content.site_id}/{content.channel_id}/{content.pk}", headers=headers)


def in_stl(api, content, **headers):
    place = f"siteId={content.site_id}&channelId={content.channel_id}"
    return api.get(f"/api/v1/stl/contents?{place}&totalNum=10", headers=headers)


def in_long_stl(api, content, **headers):
    return api.get(f"/api/v1/stl/contents?siteId={content.site_id}&channelId={content.channel_id}", headers=headers)


@pytest.fixture(params=[0.0, 1.0], ids=["wide", "narrow"])
def cache(request, monkeypatch):
    """An empty cache, with requests that read whole rows first, or stamps first."""
    kept = FragmentCache(1024 * 1024)
    monkeypatch.setattr(fragments, "_cache", kept)
    monkeypatch.setattr(fragments, "_SMOOTHING", 0)
    for rate in (fragments.OF_ONE, fragments.OF_LISTS):
        monkeypatch.setattr(rate, "value", request.param)
    return kept


@pytest.fixture
def ask_without(api, cache, monkeypatch):
    """Ask as a process does that keeps nothing."""

    def call(ask, content):
        with monkeypatch.context() as patch:
            patch.setattr(cache, "max_bytes", 0)
            return ask(api, content)

    return call


BEHIND_THE_SERVICE = {
    "body alone": once(lambda api, content: ContentBody.objects.filter(pk=content.pk).update(text="by SQL")),
    "body removed": once(lambda api, content: ContentBody.objects.filter(pk=content.pk).delete()),
    "order": once(lambda api, content: Content.objects.filter(pk=content.pk).update(taxis=-7)),
}


@pytest.mark.every_case
@pytest.mark.parametrize("ask", [*WAYS, by_id, in_stl, in_long_stl])
@pytest.mark.parametrize("change", (CHANGES | BEHIND_THE_SERVICE).values(), ids=CHANGES | BEHIND_THE_SERVICE)
def test_a_change_is_in_the_next_response(api, content, cache, ask_without, ask, change):
    steps = change(api, content)
    next(steps)
    assert ask(api, content).content == ask(api, content).content == ask_without(ask, content).content
    next(steps)
    after, expected = ask(api, content), ask_without(ask, content)
    assert after.content == expected.content
    assert after.headers.get("ETag") == expected.headers.get("ETag")


@pytest.mark.parametrize("cache", [1.0], ids=["narrow"], indirect=True)
@pytest.mark.parametrize("ask", [WAYS[0], by_id, in_stl])
def test_a_kept_content_is_not_read_again(api, content, cache, ask):
    for _ in range(2):
        ask(api, content)
    with CaptureQueriesContext(connection) as captured:
        ask(api, content)
    assert not [query["sql"] for query in captured if "settings_xml" in query["sql"]]


def test_a_list_of_kept_and_new_contents_is_in_order(api, content, cache, ask_without):
    for _ in range(2):
        WAYS[0](api, content)
    for number in range(3):
        ContentFactory(channel=content.channel, title=f"new {number}", is_checked=True)
    put(api, content, title="changed")
    assert WAYS[0](api, content).content == ask_without(WAYS[0], content).content
    assert len(WAYS[0](api, content).json()["contents"]) == 4


@pytest.mark.parametrize("cache", [1.0], ids=["narrow"], indirect=True)
@pytest.mark.parametrize("ask", [WAYS[0], by_id])
def test_a_change_between_the_two_statements_is_in_the_whole_response(
    api, content, cache, ask_without, ask, monkeypatch
):
    read_rows = fragments.read_rows

    def read(*arguments, **options):
        if "c.id" in arguments[1] and "site_id" not in arguments[1]:  # the second statement
            Content.objects.filter(title="a").update(title="meanwhile")
        return read_rows(*arguments, **options)

    monkeypatch.setattr(fragments, "read_rows", read)
    response = ask(api, content)
    assert b"meanwhile" in response.content
    assert response.content == ask_without(ask, content).content


def test_what_a_transaction_reads_of_its_own_changes_is_not_kept(api, content, cache, ask_without):
    with transaction.atomic():
        for title in ("first", "second"):
            Content.objects.filter(pk=content.pk).update(title=title)
            by_id(api, content)
        Content.objects.filter(pk=content.pk).update(title="third")
    assert by_id(api, content).content == ask_without(by_id, content).content


def test_nothing_is_kept_of_a_site_whose_tree_has_no_number(api, content, cache):
    TreeVersion.objects.all().delete()
    for title in ("first", "second"):
        put(api, content, title=title)
        assert by_id(api, content).json()["value"]["title"] == title
    assert not cache._young


def test_keeps_what_was_used_last_within_its_bytes():
    kept, size = FragmentCache(100_000), 1000
    for number in range(1000):
        kept.offer(("", number), Fragment(bytes(size), b"", (number,)))
        kept.offer(("", number), Fragment(bytes(size), b"", (number,)))
        assert kept.find(("", 0), (0,)), "what is asked for again and again stays"
    found = [number for number in range(1, 1000) if kept.find(("", number), (number,))]
    assert found[-1] == 999
    assert 16 <= len(found) <= 40
    kept.offer(("", 1), Fragment(bytes(50_000), b"", (1,)))
    assert kept.find(("", 1), (1,)) is None


def test_keeps_what_is_offered_again():
    kept, fragment = FragmentCache(100_000), Fragment(b"{}", b"", (1,))
    kept.offer(("", 1), fragment)
    assert kept.find(("", 1), (1,)) is None
    kept.offer(("", 1), fragment)
    assert kept.find(("", 1), (1,)) == fragment


def test_the_hit_rate_decides_what_is_read_first(api, content, monkeypatch):
    monkeypatch.setattr(fragments, "_cache", FragmentCache(1024 * 1024))
    monkeypatch.setattr(fragments, "OF_LISTS", rate := fragments.HitRate())
    monkeypatch.setattr("contents.lists.page.OF_LISTS", rate)

    def reads_stamps_first():
        with CaptureQueriesContext(connection) as captured:
            WAYS[0](api, content)
        return "settings_xml" not in next(query["sql"] for query in captured if "WITH page" in query["sql"])

    assert not reads_stamps_first()
    for _ in range(60):
        WAYS[0](api, content)
    assert reads_stamps_first()
    for number in range(60):
        put(api, content, title=f"title {number}")
        WAYS[0](api, content)
    assert not reads_stamps_first()


def test_contents_of_another_site_are_other_ones(api, content, cache):
    other = ContentFactory(channel=ChannelFactory(), is_checked=True)
    for each in (content, other, content, other):
        assert by_id(api, each).json()["value"]["siteId"] == each.site_id
