"""My account: profile, picture, language, sessions and sign-ins of whoever is signed in."""

from datetime import timedelta
from threading import Event, Thread

import pytest
from django.contrib.sessions.models import Session
from django.db import connections
from django.test import Client
from django.urls import reverse

from accounts import access_tokens, services, sessions
from accounts.models import Administrator, AdministratorSession
from core.audit.models import AuditEntry
from core.lib import clock
from tests.accounts.forms import keep_media_in, stored_files
from tests.accounts.picture_files import plain, saved
from tests.accounts.signing_in import OTHER, PASSWORD, account_of, stored

pytestmark = pytest.mark.django_db
HOME, PAGE, SESSIONS, LOGIN = "/admin/", "/admin/account/", "/admin/account/sessions/", "/admin/login/"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
CHROME = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"
)
EDGE = f"{CHROME} Edg/140.0.0.0"
IPHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 "
    "Mobile/15E148 Safari/604.1"
)


@pytest.fixture
def administrator():
    return account_of("administrators", user_name="desk", email="desk@example.org", mobile="13800000000")


def enter(administrator, password=PASSWORD, **options):
    """A browser in which the administrator has signed in by the page."""
    browser = Client(**options)
    browser.post(LOGIN, {"username": administrator.user_name, "password": password, "next": HOME})
    return browser


def is_in(browser):
    return browser.get(HOME).status_code == 200


def form_of(browser):
    """Return the values shown in the profile form."""
    form = browser.get(PAGE).context["form"]
    return {name: form[name].value() or "" for name in ("display_name", "email", "mobile", "language", "seen")}


def changes():
    return [entry.changed for entry in AuditEntry.objects.filter(action="administrator.changed").order_by("pk")]


# ---- Profile


def test_the_profile_is_changed(administrator):
    browser = enter(administrator)
    assert browser.post(PAGE, form_of(browser) | {"display_name": "Harbour desk"}).headers["Location"] == PAGE
    assert stored(administrator).display_name == "Harbour desk"
    assert changes() == [["displayName"]]
    assert "Harbour desk" in browser.get(HOME).content.decode()


@pytest.mark.parametrize("change", [{"email": "new@example.org"}, {"mobile": "13900000000"}])
def test_what_one_signs_in_by_needs_the_password(administrator, change):
    browser = enter(administrator)
    sent = form_of(browser) | change
    for password in ("", OTHER):
        page = browser.post(PAGE, sent | {"own_password": password})
        assert page.context["form"].errors.keys() == {"own_password"}
    assert changes() == []
    assert browser.post(PAGE, sent | {"own_password": PASSWORD}).status_code == 302
    (name, value), *_ = change.items()
    assert getattr(stored(administrator), name) == value


def test_a_taken_address_is_refused(administrator):
    account_of("administrators", email="taken@example.org")
    browser = enter(administrator)
    page = browser.post(PAGE, form_of(browser) | {"email": "Taken@example.org", "own_password": PASSWORD})
    assert page.context["form"].errors.keys() == {"email"}


def test_a_change_by_someone_else_is_not_overwritten(administrator):
    browser = enter(administrator)
    sent = form_of(browser)
    Administrator.objects.update(display_name="Of someone else")
    page = browser.post(PAGE, sent | {"mobile": "13900000000", "own_password": PASSWORD}, follow=True)
    assert "Your account has changed since you opened the page." in page.content.decode()
    assert (stored(administrator).display_name, stored(administrator).mobile) == ("Of someone else", "13800000000")


def test_other_members_are_not_taken(administrator):
    Administrator.objects.update(is_superuser=False)
    browser = enter(administrator)
    browser.post(PAGE, form_of(browser) | {"is_superuser": "on", "user_name": "root", "site_id_collection": "1"})
    after = stored(administrator)
    assert (after.is_superuser, after.user_name, after.site_id_collection) == (False, "desk", "")


# ---- Picture


@pytest.mark.django_db(transaction=True)
def test_the_picture_is_replaced_and_removed(administrator, settings, tmp_path):
    keep_media_in(settings, tmp_path)
    browser = enter(administrator)

    def upload(**fields):
        return browser.post(f"{PAGE}picture/", fields)

    with open(tmp_path / "sent.png", "wb") as file:
        file.write(saved(plain((40, 30)), "PNG"))
    for _turn in range(2):
        with open(tmp_path / "sent.png", "rb") as file:
            assert upload(picture=file).status_code == 302
        shown = stored(administrator).picture_url
        assert shown in browser.get(HOME).content.decode()
        assert stored_files() - {"sent.png"} == {stored(administrator).avatar_file}
    assert upload(is_removed="on").status_code == 302
    assert stored(administrator).picture_url == "" and stored_files() == {"sent.png"}
    assert changes() == [["avatarUrl"]] * 3
    with open(tmp_path / "sent.png", "rb") as file:
        upload(picture=file)
    account_of("administrators")  # of two superusers one may be deleted
    services.delete_administrator(administrator.pk)
    assert stored_files() == {"sent.png"}


# ---- Language


def test_the_language_goes_along_to_every_device(administrator):
    browser = enter(administrator)
    answer = browser.post(PAGE, form_of(browser) | {"language": "zh-hans"}, follow=True)
    assert 'lang="zh-hans"' in answer.content.decode()
    assert 'lang="zh-hans"' in enter(administrator, headers={"accept-language": "en"}).get(HOME).content.decode()


def test_the_switch_stores_the_language_and_the_browser_decides_again(administrator):
    browser = enter(administrator)
    browser.post("/admin/language/", {"language": "zh-hans"})
    assert stored(administrator).language == "zh-hans"
    browser.post(PAGE, form_of(browser) | {"language": ""})
    assert stored(administrator).language == ""
    assert 'lang="en"' in browser.get(HOME).content.decode()


@pytest.mark.parametrize("language", ["xx", "fr"])
def test_a_language_that_is_not_offered_is_not_stored(administrator, language):
    enter(administrator).post("/admin/language/", {"language": language})
    assert stored(administrator).language == ""


# ---- Sessions


def listed(browser):
    """The sessions that the page shows: browser, and whether it is this one."""
    return [(words, is_own) for _session, words, is_own in browser.get(SESSIONS).context["sessions"]]


def numbers(browser):
    return {words: session.pk for session, words, _is_own in browser.get(SESSIONS).context["sessions"]}


@pytest.mark.any_database
def test_sessions_are_listed_and_ended_alone(administrator):
    first = enter(administrator, headers={"user-agent": FIREFOX})
    second = enter(administrator, headers={"user-agent": IPHONE})
    stranger = enter(account_of("administrators"), headers={"user-agent": EDGE})
    assert sorted(listed(first)) == [("Firefox, Linux", True), ("Safari, iPhone", False)]
    assert session_key(first) not in first.get(SESSIONS).content.decode()
    stranger.post(SESSIONS, {"end": numbers(first)["Safari, iPhone"]})
    assert is_in(second)
    first.post(SESSIONS, {"end": numbers(first)["Safari, iPhone"]})
    assert not is_in(second) and is_in(first) and is_in(stranger)
    assert listed(first) == [("Firefox, Linux", True)]
    assert AuditEntry.objects.get(action="administrator.sessions_ended").details == {"number": 1}


def session_key(browser):
    return browser.session.session_key


@pytest.mark.any_database
def test_all_others_end_with_the_access_tokens(administrator):
    token, _expiry = access_tokens.issue(administrator)
    own, other = enter(administrator), enter(administrator)
    own.post(SESSIONS, {"end": "x"})
    assert is_in(other)
    assert own.post(SESSIONS, {"others": "1"}).status_code == 302
    assert is_in(own) and not is_in(other)
    assert access_tokens.owner(token, Administrator) is None
    assert [is_own for _words, is_own in listed(own)] == [True]


@pytest.mark.any_database
@pytest.mark.django_db(transaction=True)
def test_a_session_that_ends_during_a_request_stays_ended(administrator, monkeypatch):
    own, other = enter(administrator), enter(administrator)
    waits, goes_on = Event(), Event()
    real = sessions.sessions_of

    def slow(administrator):
        waits.set()
        assert goes_on.wait(30)
        return real(administrator)

    monkeypatch.setattr(sessions, "sessions_of", slow)
    answers = []

    def ask():
        try:
            session = other.session
            session["_seen"] -= 120  # so that the request stores its session at the end
            session.save()
            answers.append(other.get(SESSIONS).status_code)
        finally:
            connections.close_all()

    thread = Thread(target=ask)
    thread.start()
    assert waits.wait(30)
    own.post(SESSIONS, {"others": "1"})
    goes_on.set()
    thread.join(30)
    assert answers == [400]  # Django: the session was deleted before the request completed
    monkeypatch.undo()
    assert not is_in(other) and is_in(own)
    assert Session.objects.count() == 1


def test_an_ended_session_leaves_no_record(administrator):
    browser = enter(administrator)
    assert AdministratorSession.objects.count() == 1
    browser.post("/admin/logout/")
    assert not AdministratorSession.objects.exists()


def test_another_password_ends_the_others_and_keeps_ones_own_on_the_list(administrator):
    own, other = enter(administrator), enter(administrator)
    own.post("/admin/password_change/", {"old_password": PASSWORD, "new_password1": OTHER, "new_password2": OTHER})
    assert not is_in(other)
    assert [is_own for _words, is_own in listed(own)] == [True]


def test_records_without_a_session_are_deleted_in_time(administrator):
    enter(administrator)
    Session.objects.all()._raw_delete(using="default")  # as the last release does
    AdministratorSession.objects.update(seen_at=clock.now() - timedelta(days=30))
    enter(administrator)
    assert AdministratorSession.objects.count() == 1


def test_the_highest_rank_ends_the_sessions_of_others(administrator):
    other = enter(administrator)
    browser = enter(account_of("administrators"))
    browser.post(reverse("admin:accounts_administrator_action", args=["end-sessions"]), {"ids": str(administrator.pk)})
    assert not is_in(other) and is_in(browser)


@pytest.mark.parametrize(
    "user_agent, words",
    [
        (FIREFOX, "Firefox, Linux"),
        (CHROME, "Chrome, Windows"),
        (EDGE, "Edge, Windows"),
        (IPHONE, "Safari, iPhone"),
        ("curl/8", ""),
    ],
)
def test_browsers_have_names(user_agent, words):
    assert sessions.describe_browser(user_agent) == words


# ---- Sign-ins


def test_own_sign_ins_are_listed_with_their_outcome(administrator):
    enter(administrator, OTHER, REMOTE_ADDR="192.0.2.7")
    enter(account_of("administrators"), REMOTE_ADDR="192.0.2.9")
    browser = enter(administrator, REMOTE_ADDR="192.0.2.8")
    rows = browser.get(f"{PAGE}sign-ins/").context["rows"]
    assert [(entry.address, str(action), reason) for entry, action, reason in rows] == [
        ("192.0.2.8", "Administrator signed in", ""),
        ("192.0.2.7", "Sign-in of an administrator failed", "wrong password"),
    ]


# ---- Who may


@pytest.mark.parametrize("part", ["", "picture/", "second-factor/", "sessions/", "sign-ins/"])
def test_every_rank_has_an_account_and_strangers_have_none(part):
    for fields in ({"is_superuser": True}, {"is_superuser": False, "site_id_collection": "1"}, {"is_superuser": False}):
        assert enter(account_of("administrators", **fields)).get(PAGE + part).status_code == 200
    for browser in (Client(), enter(account_of("administrators", is_locked_out=True))):
        for answer in (browser.get(PAGE + part), browser.post(PAGE + part)):
            assert answer.headers["Location"].startswith(LOGIN)
