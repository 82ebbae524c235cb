"""How long a sign-in lasts, what its cookies are like, and what becomes of ended sessions."""

import time
from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from core.admin import sessions
from tests.factories import AdministratorFactory

pytestmark = pytest.mark.django_db
PAGE = "/admin/accounts/user/"
PASSWORD = "harbour-21"
ENDED = "Your session has ended. Sign in again to continue where you left off."


@pytest.fixture
def clock(monkeypatch):
    """A clock that the test moves: `clock(minutes=3)`."""
    passed = timedelta()

    def move(**step):
        nonlocal passed
        passed += timedelta(**step)

    now, seconds = timezone.now, time.time
    monkeypatch.setattr(timezone, "now", lambda: now() + passed)
    monkeypatch.setattr(sessions.time, "time", lambda: seconds() + passed.total_seconds())
    return move


def sign_in(client, **options):
    administrator = AdministratorFactory(user_name="harriet")
    administrator.set_password(PASSWORD)
    administrator.save()
    return client.post("/admin/login/", {"username": "harriet", "password": PASSWORD, "next": PAGE}, **options)


def is_signed_in(client):
    return client.get(PAGE).status_code == 200


def test_signing_in_leads_to_where_one_wanted_to_go_under_a_new_key(client):
    client.get("/admin/login/")
    answer = sign_in(client)
    assert (answer.status_code, answer["Location"]) == (302, PAGE)
    assert is_signed_in(client)


def test_it_ends_after_half_an_hour_without_a_click_and_says_so(highest, clock):
    clock(minutes=31)
    answer = highest.get(PAGE, follow=True)
    assert answer.redirect_chain == [(f"/admin/login/?next={PAGE}", 302)]
    assert ENDED in answer.content.decode()


def test_the_page_to_sign_in_asks_the_browser_for_a_draft_of_the_page_that_was_left(client):
    page = client.get("/admin/contents/content/1/change/", follow=True).content.decode()
    assert (
        'data-draft-of="/admin/contents/content/1/change/" hidden>Your unsaved text is stored in this browser' in page
    )


SENT_FROM = [
    ({}, "/admin/apikeys/apikey/1/rotate/"),
    ({"Referer": "http://testserver/admin/apikeys/apikey/?q=a"}, "/admin/apikeys/apikey/?q=a"),
    ({"Referer": "http://elsewhere.example/admin/x/"}, "/admin/apikeys/apikey/1/rotate/"),
    ({"Referer": "http://testserver/news/"}, "/admin/apikeys/apikey/1/rotate/"),
]


@pytest.mark.parametrize(("headers", "following"), SENT_FROM)
def test_a_form_that_was_not_stored_leads_back_to_its_page_and_promises_nothing(highest, clock, headers, following):
    clock(minutes=31)
    answer = highest.post("/admin/apikeys/apikey/1/rotate/", {"name": "typed"}, headers=headers)
    assert parse_qs(urlsplit(answer["Location"]).query) == {"next": [following]}
    page = highest.get(answer["Location"]).content.decode()
    assert "Your session has ended, so the form was not stored. Sign in again." in page
    assert ENDED not in page


def test_the_request_of_a_script_promises_nothing(highest, clock):
    clock(minutes=31)
    highest.get("/admin/notifications/unread/", headers={"Sec-Fetch-Mode": "cors"})
    page = highest.get("/admin/login/").content.decode()
    assert ENDED not in page
    assert "Your session has ended; sign in again." in page
    answer = highest.post("/admin/auth/group/add/", {"name": "typed"}, follow=True)
    assert "so the form was not stored." in answer.content.decode()


def test_it_goes_on_while_it_is_used(highest, clock):
    for _ in range(8):
        clock(minutes=20)
        assert is_signed_in(highest)


def test_it_ends_after_twelve_hours_of_use(highest, clock):
    for _ in range(35):
        clock(minutes=20)
        assert is_signed_in(highest)
    clock(minutes=21)
    answer = highest.get(PAGE, follow=True)
    assert ENDED in answer.content.decode()
    assert not Session.objects.exists()


def test_a_session_that_seems_to_begin_later_than_now_ends(highest, clock):
    session = highest.session
    session["_began"] = time.time() + 3600
    session.save()
    assert not is_signed_in(highest)


def test_a_session_from_before_gets_its_end(highest, clock):
    session = highest.session
    del session["_began"]
    session.save()
    assert is_signed_in(highest)
    assert highest.session["_began"]


def test_using_it_writes_once_a_minute(highest, clock):
    def writes():
        with CaptureQueriesContext(connection) as captured:
            highest.get(PAGE)
        return sum("UPDATE" in query["sql"] and "django_session" in query["sql"] for query in captured)

    clock(seconds=59)
    assert writes() == 0
    clock(seconds=2)
    assert writes() == 1
    assert writes() == 0


def test_a_short_session_is_saved_more_often(highest, clock, settings):
    settings.SESSION_COOKIE_AGE = 60
    highest.get(PAGE)
    for _ in range(9):
        clock(seconds=50)
        assert is_signed_in(highest)


def test_who_never_signed_in_is_told_of_no_end(client):
    assert ENDED not in client.get(PAGE, follow=True).content.decode()


def test_who_signed_out_is_told_of_no_end(highest):
    answer = highest.post("/admin/logout/")
    assert "Signed out" in answer.content.decode()
    answer = highest.get(PAGE, follow=True)
    assert answer.redirect_chain
    assert ENDED not in answer.content.decode()


def test_an_account_that_was_locked_meanwhile_is_out(client):
    administrator = AdministratorFactory()
    client.force_login(administrator)
    assert is_signed_in(client)
    administrator.is_locked_out = True
    administrator.save()
    assert not is_signed_in(client)


def test_a_sign_in_takes_ended_sessions_away_and_no_others(client, clock):
    for number in range(3):
        Session.objects.create(session_key=f"old{number}", expire_date=timezone.now() - timedelta(hours=number + 1))
    Session.objects.create(session_key="alive", expire_date=timezone.now() + timedelta(hours=1))
    sign_in(client)
    assert set(Session.objects.values_list("pk", flat=True)) == {"alive", client.session.session_key}


def test_a_sign_in_takes_only_so_many_away(client, monkeypatch):
    monkeypatch.setattr(sessions, "_PURGED_AT_ONCE", 2)
    for number in range(3):
        Session.objects.create(session_key=f"old{number}", expire_date=timezone.now() - timedelta(hours=number + 1))
    sessions.purge_ended_sessions()
    assert list(Session.objects.values_list("pk", flat=True)) == ["old0"]


def test_a_command_takes_all_ended_sessions_away():
    for number in range(3):
        Session.objects.create(session_key=f"old{number}", expire_date=timezone.now() - timedelta(hours=number + 1))
    Session.objects.create(session_key="alive", expire_date=timezone.now() + timedelta(hours=1))
    call_command("purge", "sessions")
    assert list(Session.objects.values_list("pk", flat=True)) == ["alive"]


def test_cookies_are_strict(client):
    answer = client.get("/admin/login/")
    form = answer.cookies["cms_csrf"]
    session = sign_in(client).cookies["cms_session"]
    for cookie in (form, session):
        assert (cookie["httponly"], cookie["samesite"], cookie["path"]) == (True, "Lax", "/")
        assert not cookie["max-age"]  # gone with the browser
        assert not cookie["domain"]


def test_a_form_without_its_token_is_refused():
    client = Client(enforce_csrf_checks=True)
    answer = client.post("/admin/login/", {"username": "harriet", "password": PASSWORD})
    assert answer.status_code == 403
    assert "The form is too old" in answer.content.decode()


def test_the_api_knows_no_session(highest):
    assert highest.get("/api/v1/administrators").status_code == 401


def test_media_ask_nobody_who_it_is(highest, django_assert_num_queries):
    with django_assert_num_queries(0):
        answer = highest.get("/media/avatars/default.png")
    assert "Vary" not in answer.headers
    assert answer["Cache-Control"] == "public, max-age=86400"


def test_it_stays_ended_when_clocks_go_back(highest, clock, monkeypatch):
    now = timezone.now
    clock(minutes=35)
    monkeypatch.setattr(timezone, "now", lambda: now() - timedelta(hours=1))
    assert not is_signed_in(highest)
