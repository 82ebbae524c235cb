"""`_suggestions`: titles for the search box of a page, without a key."""

from urllib.parse import urlencode

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from channels_app.models import Channel
from contents.models import Content
from contents.services.single import trash_content
from core.lib.errors import InvalidInput
from pages import suggestions
from pages.models import Template, TemplateKind
from tests.assertions import assert_error
from tests.contents.test_search import HOSTILE, add, follow
from tests.factories import ChannelFactory, SiteFactory
from tests.pages.sites import make_site
from tests.pages.test_search_by_words import reads

pytestmark = pytest.mark.django_db


@pytest.fixture
def channel():
    follow()
    return ChannelFactory(site=make_site(site_dir="museum"))


@pytest.fixture(params=["followed", "newer"])
def known(request):
    """Both states of a record: in the index, or newer than it."""
    return follow if request.param == "followed" else lambda: None


def ask(client, q, path="/museum/_suggestions", **headers):
    return client.get(f"{path}?{urlencode({'q': q})}", headers=headers)


def titles(client, q):
    answer = ask(client, q)
    assert answer.status_code == 200, answer.content
    return [each["title"] for each in answer.json()["value"]]


def test_titles_with_their_addresses(client, channel, known):
    content = add(channel, "Harbour <lamp>")
    add(channel, "Elsewhere in the harbour", link_url="https://example.org/lamp")
    known()
    answer = ask(client, "harb")
    assert answer.json() == {
        "value": [
            {"title": "Harbour <lamp>", "navigationUrl": f"/museum/contents/{channel.pk}/{content.pk}.html"},
            {"title": "Elsewhere in the harbour", "navigationUrl": "https://example.org/lamp"},
        ]
    }
    headers = {name: value for name, value in answer.headers.items() if name != "X-Request-Id"}
    assert headers == {
        "Content-Type": "application/json; charset=utf-8",
        "Content-Length": str(len(answer.content)),
        "ETag": answer.headers["ETag"],
        "Cache-Control": "public, max-age=60",
        "X-Robots-Tag": "noindex",
        "Content-Security-Policy": "sandbox allow-scripts allow-forms allow-popups",
        "Access-Control-Allow-Origin": "*",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "strict-origin-when-cross-origin",
        "Cross-Origin-Opener-Policy": "unsafe-none",
    }
    assert not answer.cookies
    again = ask(client, "harb", **{"If-None-Match": answer.headers["ETag"]})
    assert (again.status_code, again.headers["Access-Control-Allow-Origin"]) == (304, "*")
    add(channel, "Harbour two")
    assert ask(client, "harb", **{"If-None-Match": answer.headers["ETag"]}).status_code == 200
    assert client.head("/museum/_suggestions?q=harb").content == b""
    assert client.post("/museum/_suggestions?q=harb").status_code == 405


def test_a_content_that_has_moved_has_its_current_address(client, channel):
    content = add(channel, "Harbour")
    follow()
    other = ChannelFactory(site=channel.site)
    Content.objects.filter(pk=content.pk).update(channel=other)
    assert ask(client, "harb").json()["value"][0]["navigationUrl"] == f"/museum/contents/{other.pk}/{content.pk}.html"


def test_words_of_titles_are_found(client, channel, known):
    for number in range(60):
        add(channel, f"Harbour {number}")
    add(channel, "Harbour 5 at the quay", author="Smith", tags="town")
    add(channel, "博物馆开放时间")
    add(channel, "Lamp", content="harbour")
    known()
    assert len(set(titles(client, "har"))) == 8
    assert titles(client, "harb 5 -quay") == ["Harbour 5"]
    assert titles(client, '"at the quay"') == ["Harbour 5 at the quay"]
    assert titles(client, "馆开") == ["博物馆开放时间"]
    # Operators are words here.
    for q in ("har lamp", "author:smith", "har author:smith", "har tag:town", "in:news", "site:museum", "-har"):
        assert titles(client, q) == [], q


def test_only_what_visitors_can_open_is_suggested(client, channel, known):
    add(channel, "harbour public")
    add(channel, "harbour waiting", is_checked=False)
    trash_content(channel.site_id, channel.pk, add(channel, "harbour in the trash").pk)
    add(ChannelFactory(site=make_site(site_dir="castle")), "harbour of another site")
    without_pages = ChannelFactory(site=channel.site, settings={"isContentCreatable": False})
    for number in range(60):
        add(without_pages, f"harbour {number} without a page")
    withdrawn = add(channel, "was public")
    known()
    Content.objects.filter(pk=withdrawn.pk).update(is_checked=False, title="harbour withdrawn")
    for _ in range(2):
        assert titles(client, "harb") == ["harbour public"]
        assert titles(client, "was") == []
        follow()


def test_a_site_without_pages_suggests_nothing(client, channel, settings):
    add(channel, "Harbour")
    Template.objects.filter(site=channel.site, kind=TemplateKind.CONTENT).delete()
    assert titles(client, "harb") == []
    hidden = SiteFactory(site_dir="castle")
    add(Channel.objects.get(site=hidden, parent=None), "Harbour")
    assert ask(client, "harb", "/castle/_suggestions").status_code == 404
    settings.CMS_SITE_HOSTS = {"castle.example.org": "castle"}
    settings.ALLOWED_HOSTS = ["*"]
    for path in ("/castle/_suggestions", "/_suggestions"):
        answer = client.get(f"{path}?q=harb", headers={"Host": "castle.example.org"})
        assert answer.status_code == 404


@pytest.mark.parametrize("q", HOSTILE)
def test_any_text_is_answered(client, channel, q):
    add(channel, "harbour lamp")
    for _ in range(2):
        assert ask(client, q).status_code == (400 if "\0" in q else 200)
        follow()


def test_errors_are_those_of_other_searches(client, channel, monkeypatch):
    for address in ("/museum/_suggestions", "/museum/_suggestions?q="):
        answer = client.get(address)
        assert assert_error(answer, 400, "missing_member")["member"] == "q"
        assert answer.headers["Access-Control-Allow-Origin"] == "*" and "no-store" in answer.headers["Cache-Control"]

    def refuse(*_arguments):
        raise InvalidInput("query_too_slow", "The search takes longer than 1 seconds.")

    monkeypatch.setattr(suggestions, "read_suggestions", refuse)
    assert_error(ask(client, "harb"), 400, "query_too_slow")


def test_suggestions_take_few_statements(client, channel):
    add(channel, "Harbour")
    follow()
    titles(client, "lamp")
    with CaptureQueriesContext(connection) as captured:
        assert titles(client, "harb") == ["Harbour"]
    assert len(reads(captured)) <= 9, reads(captured)
