"""Visits of the pages of contents are counted in batches, without making kept pages old."""

from datetime import timedelta

import pytest

from contents.models import Content
from core.lib import clock
from pages import visitors, visits
from pages.models import TemplateKind
from tests.counting import started_redis_server  # noqa: F401 - a fixture
from tests.factories import ContentFactory
from tests.pages.showing import Museum
from tests.pages.sites import make_template
from tests.worlds import world

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def batch(monkeypatch, settings):
    """The batch of this test, which is stored when the test says so; each visit counts."""
    settings.CMS_VISIT_MINUTES = 0
    batch = visits.Batch()
    monkeypatch.setattr(visits, "_batch", batch)
    monkeypatch.setattr(visits.Timer, "start", lambda timer: None)
    monkeypatch.setattr(visits.connection, "close", lambda: None)
    return batch


@world
def museum():
    museum = Museum()
    make_template(museum.site, TemplateKind.CONTENT, is_default=True, text="<html><body>{content.title}</BODY></html>")
    count(museum.site, isCountHits=True)
    return museum


def count(site, **settings):
    site.settings = settings
    site.save()


def page(client, content):
    return client.get(f"/museum/contents/{content.channel_id}/{content.pk}.html").content.decode()


def visit(client, content, times=1):
    for _ in range(times):
        answer = client.get(f"/museum/_visits/{content.pk}.gif")
    assert answer.status_code == 200
    return answer


def hits(content):
    fields = ("hits", "hits_by_day", "hits_by_week", "hits_by_month", "last_hits_date")
    return Content.objects.values_list(*fields).get(pk=content.pk)


def test_a_page_asks_for_a_picture_that_counts(client, museum, batch):
    content = museum.contents[0]
    shown = page(client, content)
    picture = f'<img src="/museum/_visits/{content.pk}.gif" alt="" width="1" height="1" hidden>'
    assert shown == f"<html><body>First{picture}</BODY></html>"
    answer = visit(client, content, 3)
    assert (answer.headers["Content-Type"], answer.headers["Cache-Control"]) == ("image/gif", "no-store")
    assert not answer.cookies
    assert hits(content)[0] == 0
    batch.store()
    *numbers, last = hits(content)
    assert numbers == [3, 0, 0, 0]
    assert clock.now() - last < timedelta(minutes=5)
    batch.store()
    assert hits(content)[0] == 3


TEXTS = {
    "a<body>b</body>c</body >d": "a<body>b</body>c+</body >d",
    "<HTML>a": "<HTML>a+",
    '{"a": 1}': '{"a": 1}',
    "İ</body>": "İ+</body>",
    "": "",
}


@pytest.mark.parametrize("html", TEXTS)
def test_the_picture_is_at_the_end_of_a_document(html):
    shown = visits.with_picture(html, "", 7)
    assert shown.replace(visits.with_picture("<html>", "", 7).removeprefix("<html>"), "+") == TEXTS[html]


def test_other_pages_have_no_picture(client, museum):
    count(museum.site)
    assert "<img" not in page(client, museum.contents[0])
    count(museum.site, isCountHits=True)
    make_template(museum.site, TemplateKind.CHANNEL, is_default=True, text="<html></html>")
    assert b"<img" not in client.get(f"/museum/channels/{museum.news.pk}.html").content


def test_days_weeks_and_months_begin_at_zero(client, museum, batch):
    count(museum.site, isCountHits=True, isCountHitsByDay=True)
    today = clock.now().replace(hour=0, minute=0, second=0)
    month, week = today.replace(day=1), today - timedelta(days=today.weekday())
    content = museum.contents[0]
    former = {"hits": 50, "hits_by_day": 5, "hits_by_week": 10, "hits_by_month": 20}
    for last in (today, today - timedelta(seconds=1), week - timedelta(seconds=1), month - timedelta(seconds=1), None):
        Content.objects.filter(pk=content.pk).update(**former, last_hits_date=last)
        visit(client, content)
        batch.store()
        kept = [last is not None and last >= begin for begin in (today, week, month)]
        expected = [(number if is_kept else 0) + 1 for number, is_kept in zip((5, 10, 20), kept, strict=True)]
        assert hits(content)[:4] == (51, *expected)


def test_hits_that_do_not_count(client, museum, batch):
    content, draft = museum.contents[0], ContentFactory(channel=museum.news, is_checked=False)
    visit(client, draft)
    client.head(f"/museum/_visits/{content.pk}.gif")
    client.get(f"/museum/_visits/{10**15}.gif")
    assert client.get("/museum/_visits/x.gif").status_code == 404
    assert client.get(f"/museum/_visits/{2**63}.gif").status_code == 404
    batch.store()
    assert not Content.objects.filter(hits__gt=0).exists()
    count(museum.site)
    visit(client, content)
    batch.store()
    assert hits(content)[0] == 0


def test_hits_leave_version_and_pages_as_they_are(client, museum, batch):
    content = museum.contents[0]
    before = Content.objects.values("version", "last_edit_date", "title").get(pk=content.pk)
    page(client, content)
    visit(client, content)
    batch.store()
    assert Content.objects.values("version", "last_edit_date", "title").get(pk=content.pk) == before
    assert not content.changes.exists()


def test_a_flood_fills_no_memory(client, museum, batch, monkeypatch):
    monkeypatch.setattr(visits, "MAX_VISITS", 4)
    for content in museum.contents:
        visit(client, content, 2)
    batch.store()
    assert sorted(Content.objects.values_list("hits", flat=True)) == [0, 0, 0, 2, 2]


@pytest.fixture
def ten_minutes(settings):
    settings.CMS_VISIT_MINUTES, settings.CMS_CACHE_URL = 10, ""
    visitors._known.cache_clear()


def test_a_visitor_counts_once_for_each_content(client, museum, batch, ten_minutes):
    first, second = museum.contents[:2]
    visit(client, first, 2)
    batch.store()
    visit(client, first)
    visit(client, second)
    batch.store()
    assert (hits(first)[0], hits(second)[0]) == (1, 1)


@pytest.mark.parametrize("other", [{"REMOTE_ADDR": "203.0.113.7"}, {"HTTP_USER_AGENT": "Another"}])
def test_another_address_or_browser_is_another_visitor(client, museum, batch, ten_minutes, other):
    content = museum.contents[0]
    visit(client, content)
    client.get(f"/museum/_visits/{content.pk}.gif", **other)
    batch.store()
    assert hits(content)[0] == 2


def test_a_visit_counts_again_after_some_minutes(client, museum, batch, ten_minutes, monkeypatch):
    content = museum.contents[0]
    known = visitors._known(600, "")
    times = [0.0]
    monkeypatch.setattr(known, "_visits", visitors.TTLCache(10, 600, timer=lambda: times[-1]))
    for seconds in (0.0, 599.0, 600.0):
        times.append(seconds)
        visit(client, content)
        batch.store()
    assert hits(content)[0] == 2


def test_visits_are_hashed_by_a_key_of_the_day(client, museum, batch, ten_minutes, monkeypatch):
    content = museum.contents[0]
    visit(client, content)
    tomorrow = clock.now() + timedelta(days=1)
    monkeypatch.setattr(clock, "now", lambda: tomorrow)
    visit(client, content)
    batch.store()
    assert hits(content)[0] == 2


@pytest.fixture
def in_redis(redis_server, settings):
    """Processes that share Redis; calling it makes this one another."""
    settings.CMS_VISIT_MINUTES, settings.CMS_CACHE_URL = 10, redis_server.url
    redis_server.client.flushdb()
    visitors._known.cache_clear()
    return visitors._known.cache_clear


def test_processes_share_visits_in_redis(client, museum, batch, in_redis, redis_server):
    content = museum.contents[0]
    for _process in range(2):
        visit(client, content)
        batch.store()
        in_redis()
    assert hits(content)[0] == 1
    seconds = [redis_server.client.ttl(name) for name in redis_server.client.keys("cms:visit:*")]
    assert sorted(each > 600 for each in seconds) == [False, True]  # the visit, and the key of the day


def test_without_an_answer_of_redis_each_process_counts(client, museum, batch, ten_minutes, settings):
    settings.CMS_CACHE_URL = "redis://127.0.0.1:1/0"
    visit(client, museum.contents[0], 2)
    batch.store()
    assert hits(museum.contents[0])[0] == 1


def test_hits_wait_while_the_database_is_gone(client, museum, batch, monkeypatch):
    def fail(_hits):
        raise visits.OperationalError

    content = museum.contents[0]
    visit(client, content)
    with monkeypatch.context() as patch:
        patch.setattr(visits, "_store", fail)
        batch.store()
    visit(client, content)
    batch.store()
    assert hits(content)[0] == 2
