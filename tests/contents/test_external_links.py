"""Links of approved contents to other websites: which are collected, how hosts are asked, and when a link is dead."""

import socket
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from contents.external_links import checking, following, requests
from contents.external_links.addresses import addresses_in
from contents.external_links.requests import Outcome, request
from contents.models import (
    Content,
    ContentBody,
    ExternalHost,
    ExternalLink,
    ExternalLinkProgress,
    ExternalLinkUse,
    LinkProblem,
)
from contents.services.single import trash_contents
from contents.storing.locking import Seen, accepted
from core.lib import clock, public_addresses
from events.models import Event
from events.numbering import number_new
from tests.factories import ChannelFactory, ContentFactory, SiteFactory
from tests.webhooks.receivers import receiving, silent
from tests.webhooks.test_posting import drop_by_drop, endless, resolver

pytestmark = pytest.mark.django_db
GONE, UNKNOWN, UNREACHABLE = LinkProblem.GONE, LinkProblem.UNKNOWN, LinkProblem.UNREACHABLE


@pytest.fixture(autouse=True)
def checking_is_on(settings):
    settings.CMS_CHECK_LINKS = True


@pytest.fixture
def news():
    return ChannelFactory(site=SiteFactory())


@pytest.fixture
def receiver(monkeypatch):
    """A server on the loopback, whose address counts as public."""
    is_allowed = public_addresses.is_allowed
    monkeypatch.setattr(
        public_addresses, "is_allowed", lambda address, networks=(): str(address) == "127.0.0.1" or is_allowed(address)
    )
    with receiving() as found:
        found.status = 200
        found.root = f"http://127.0.0.1:{found.port}"
        yield found


def write(channel, *addresses, **fields):
    content = ContentFactory(channel=channel, **{"is_checked": True} | fields)
    write_body(content, *addresses)
    return content


def write_body(content, *addresses):
    text = " ".join(f'<a href="{address}">x</a>' for address in addresses)
    ContentBody.objects.update_or_create(content=content, defaults={"text": text})


def follow():
    number_new()
    while following.step():
        pass


def stored():
    return {(use.content_id, use.link.address) for use in ExternalLinkUse.objects.select_related("link")}


@pytest.mark.any_database
def test_addresses_are_found_in_links_and_fields():
    body = (
        "<a href='http://a.example/x?a=1&amp;b=2#part'>x</a> <A class=y HREF = HTTPS://B.example/ > http://no.example/"
        '<a href="/c">x</a><a href="mailto:a@b.example">x</a><a href="https://exämple.org/ü v">x</a>'
        '<a href="http://10.0.0.1/">x</a><a href="http://u:p@d.example/">x</a><a href="http://d.example:22/">x</a>'
        '<a href="https://own.example/news">x</a><a href="https://own.example.org/">x</a><a href="http://[/">x</a>'
        f'<a href="http://e.example/{"x" * 3000}">x</a><img src="http://f.example/a.png">'
    )
    custom = '{"a": "https://g.example/", "b": "see https://h.example/", "c": "<a href=\\"https://i.example/\\">x</a>"}'
    found = addresses_in([body], ["https://j.example", "/upload/a.pdf", ""], custom, "https://own.example")
    assert found == {
        "https://j.example": "j.example",
        "https://g.example/": "g.example",
        "http://a.example/x?a=1&b=2": "a.example",
        "https://B.example/": "b.example",
        "https://xn--exmple-cua.org/%C3%BC": "xn--exmple-cua.org",
        "https://own.example.org/": "own.example.org",
        "https://i.example/": "i.example",
    }


@pytest.mark.any_database
def test_hosts_that_no_resolver_takes_are_left_out():
    hosts = ["[2606:4700::1%" + "a" * 900 + "]", "ß" * 1900, "a" * 254]
    assert addresses_in([], [f"http://{host}/" for host in hosts], "{}", "") == {}


def test_links_of_public_contents_are_collected_and_follow_their_changes(news):
    first = write(news, "http://a.example/1", link_url="http://b.example/")
    second = write(news, "http://a.example/1", "http://a.example/2")
    draft = write(news, "http://c.example/", is_checked=False)
    follow()
    assert stored() == {
        (first.pk, "http://a.example/1"),
        (first.pk, "http://b.example/"),
        (second.pk, "http://a.example/1"),
        (second.pk, "http://a.example/2"),
    }
    assert set(ExternalHost.objects.values_list("name", flat=True)) == {"a.example", "b.example"}
    write_body(first)
    Content.objects.filter(pk=draft.pk).update(is_checked=True)
    accepted(trash_contents([Seen(news.site_id, second.pk)]))
    follow()
    assert stored() == {(first.pk, "http://b.example/"), (draft.pk, "http://c.example/")}
    assert set(ExternalHost.objects.values_list("name", flat=True)) == {"b.example", "c.example"}


@pytest.mark.any_database
def test_after_lost_events_all_contents_are_read_again(news, monkeypatch):
    monkeypatch.setattr(following, "_RECORDS", 2)
    contents = [write(news, "http://a.example/") for _ in range(5)]
    follow()
    write_body(contents[0], "http://b.example/")
    ContentBody.objects.filter(content=contents[4]).delete()
    number_new()
    Event.objects.all().delete()
    following.Numbering.objects.update(deleted_position=following.Numbering.objects.get().last_position)
    follow()
    assert {address for _content, address in stored()} == {"http://a.example/", "http://b.example/"}
    assert len(stored()) == 4


@pytest.mark.any_database
def test_tasks_cost_nothing_while_they_are_off_and_little_while_nothing_is_due(news, settings):
    write(news, "http://a.example/")
    follow()
    ExternalHost.objects.update(next_at=clock.steady(timedelta(hours=1)))
    counts = []
    for is_on in (False, True):
        settings.CMS_CHECK_LINKS = is_on
        with CaptureQueriesContext(connection) as counted:
            following.follow()
            checking.check_due()
        counts.append(len(counted))
    assert counts == [0, 3]


# ---- one request


def test_a_host_is_asked_for_the_header_only_and_told_who_asks(receiver):
    assert request(f"{receiver.root}/a?b=1", "HEAD") == Outcome(200)
    assert receiver.lines == ["HEAD /a?b=1"]
    ((headers, _body),) = receiver.requests
    assert headers["host"] == f"127.0.0.1:{receiver.port}"
    assert headers["user-agent"].startswith("cms-api/")


@pytest.mark.parametrize(
    ("status", "problem"), [(204, ""), (304, UNKNOWN), (401, UNKNOWN), (404, GONE), (410, GONE), (503, UNKNOWN)]
)
def test_only_a_missing_page_is_gone(receiver, status, problem):
    receiver.status = status
    assert request(receiver.root, "GET") == Outcome(status, problem)


@pytest.mark.parametrize("url", ["http://127.0.0.1:8000/", "http://10.0.0.1/", "http://2130706433/", "http://[::1]/"])
def test_addresses_beyond_the_public_internet_are_not_requested(url, settings):
    settings.CMS_WEBHOOK_NETWORKS = ["127.0.0.0/8", "10.0.0.0/8"]  # for webhooks only
    assert request(url, "HEAD") == Outcome(problem=UNKNOWN)


def test_a_name_is_resolved_once_and_the_checked_address_is_used(monkeypatch, receiver):
    left = resolver(monkeypatch, ["127.0.0.1"], ["10.9.9.9"])
    assert request(f"http://rebinding.example:{receiver.port}/", "HEAD") == Outcome(200)
    assert left == [["10.9.9.9"]]


def test_redirects_are_followed_and_each_is_checked(receiver):
    def respond(handler, body):
        where = {"/1": "/2", "/3": "http://10.0.0.1/", "/5": "/5", "/6": "http://[/"}.get(handler.path)
        handler.send_response(302 if where else 404)
        if where:
            handler.send_header("Location", where)
        handler.end_headers()

    receiver.respond = respond
    assert request(f"{receiver.root}/1", "HEAD") == Outcome(404, GONE)
    assert request(f"{receiver.root}/3", "HEAD") == Outcome(problem=UNKNOWN)
    assert request(f"{receiver.root}/5", "HEAD") == Outcome(302, UNKNOWN)
    assert request(f"{receiver.root}/6", "HEAD") == Outcome(problem=UNKNOWN)
    assert receiver.lines.count("HEAD /5") == 4


def test_the_body_is_not_read(receiver):
    receiver.respond = endless
    assert request(receiver.root, "GET") == Outcome(200)


def test_hosts_that_do_not_respond_are_unreachable(receiver, monkeypatch):
    monkeypatch.setattr(requests, "SECONDS", 0.3)
    with silent() as port:
        assert request(f"http://127.0.0.1:{port}/", "HEAD") == Outcome(problem=UNREACHABLE)
    receiver.respond = drop_by_drop(b"HTTP/1.1 200 OK\r\nX-Slow: " + b"x" * 1000)
    assert request(receiver.root, "HEAD") == Outcome(problem=UNREACHABLE)


@pytest.mark.parametrize(
    ("errno", "problem"), [(socket.EAI_NONAME, LinkProblem.UNRESOLVED), (socket.EAI_AGAIN, UNKNOWN)]
)
def test_a_name_that_does_not_exist_is_told_from_a_failing_resolver(monkeypatch, errno, problem):
    def getaddrinfo(*args, **kwargs):
        raise socket.gaierror(errno, "no")

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    assert request("http://a.example/", "HEAD") == Outcome(problem=problem)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("120", 120), ("9" * 5000, 7 * 86400), ("Wed, 21 Oct 2015 07:28:00 GMT", 0), ("soon", 0), ("²", 0)],
)
def test_the_host_says_how_long_to_wait(receiver, text, seconds):
    receiver.status, receiver.headers = 429, {"Retry-After": text}
    assert request(receiver.root, "HEAD") == Outcome(429, UNKNOWN, seconds)


# ---- when a link is checked, and dead


@pytest.fixture
def link(news):
    write(news, "http://a.example/1")
    follow()
    return ExternalLink.objects.get()


def check(link, outcome, *, days=0):
    """Store the outcome of a check that comes so many days after the last one."""
    ExternalLink.objects.filter(failing_since__isnull=False).update(failing_since=clock.steady(timedelta(days=-days)))
    link = ExternalLink.objects.get(pk=link.pk)
    checking.store(link, outcome)
    link.refresh_from_db()
    return link


@pytest.mark.any_database
def test_a_link_is_dead_after_two_failures_a_day_apart(link):
    link = check(check(link, Outcome(404, GONE)), Outcome(404, GONE))
    assert (link.needs_get, link.is_dead) == (True, False)
    assert link.next_at > clock.steady(timedelta(hours=23))
    assert not check(link, Outcome(404, GONE)).is_dead
    link = check(link, Outcome(404, GONE), days=1)
    assert link.is_dead and link.next_at > clock.steady(timedelta(days=6))
    link = check(link, Outcome(403, UNKNOWN), days=7)
    assert (link.is_dead, link.failing_since, link.problem) == (False, None, UNKNOWN)


@pytest.mark.any_database
def test_a_host_is_unreachable_only_if_others_respond(link):
    link = check(link, Outcome(problem=UNREACHABLE))
    link = check(link, Outcome(problem=UNREACHABLE), days=1)
    assert not link.is_dead
    ExternalLinkProgress.objects.update(responded_at=clock.steady())
    assert check(link, Outcome(problem=UNREACHABLE), days=1).is_dead


@pytest.mark.any_database
def test_a_head_that_is_refused_is_repeated_as_get(link):
    link = check(link, Outcome(405, UNKNOWN))
    assert (link.needs_get, link.checked_at) == (True, None)
    assert link.next_at <= clock.steady(checking.PAUSE)
    link = check(link, Outcome(200))
    assert (link.status, link.problem) == (200, "") and link.checked_at
    assert link.next_at > clock.steady(timedelta(days=6))


@pytest.mark.any_database
def test_a_host_has_pauses_and_a_busy_one_longer_ones(news):
    write(news, "http://a.example/1", "http://a.example/2", "http://b.example/")
    follow()
    taken = [checking.claim(), checking.claim()]
    assert {link.host.name for link in taken} == {"a.example", "b.example"}
    assert checking.claim() is None
    checking.store(taken[0], Outcome(503, UNKNOWN, wait=3600))
    checking.store(taken[1], Outcome(200))
    assert checking.claim() is None
    busy, other = (ExternalHost.objects.get(pk=link.host_id) for link in taken)
    assert busy.paused_until > clock.steady(timedelta(minutes=50))
    assert other.paused_until <= clock.steady(checking.PAUSE)
    # New links wait for the pause of their host, too.
    write(news, *(f"http://{host.name}/new" for host in (busy, other)))
    follow()
    assert checking.claim() is None


@pytest.mark.django_db(transaction=True)
def test_the_task_checks_what_is_due(news, receiver):
    receiver.respond = lambda handler, body: (handler.send_error(404, ""), None)[1]
    write(news, f"{receiver.root}/gone")
    follow()
    checking.check_due()
    ExternalLink.objects.update(next_at=clock.steady())
    ExternalHost.objects.update(next_at=clock.steady())
    checking.check_due()
    assert receiver.lines == ["HEAD /gone", "GET /gone"]
    link = ExternalLink.objects.get()
    assert (link.status, link.problem, link.is_dead) == (404, GONE, False)
    assert ExternalLinkProgress.objects.get().responded_at
