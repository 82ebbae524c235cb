"""Sign-in to the back end: Django's own page, the plain password, and the rules of the logins."""

import logging
import re

import pytest
from django.contrib.auth import authenticate
from django.core.management import CommandError, call_command
from django.test import Client

from accounts.hashers import md5_form
from accounts.models import Administrator
from core.audit.models import AuditEntry
from tests.accounts.signing_in import OTHER, PASSWORD, account_of, log_in, reset, stored
from tests.clients import ApiClient

pytestmark = pytest.mark.django_db
LOGIN, HOME = "/admin/login/", "/admin/"


@pytest.fixture
def browser():
    return Client()


def enter(browser, typed, password, **options):
    """Fill in the page; True when it leads into the back end."""
    response = browser.post(LOGIN, {"username": typed, "password": password, "next": HOME}, **options)
    is_in = response.status_code == 302 and response.headers["Location"] == HOME
    assert is_in == (browser.get(HOME).status_code == 200)
    return is_in


@pytest.mark.parametrize("typed", ["Desk", "DESK", "desk@example.org", "13800000000"])
def test_enters_by_name_e_mail_and_mobile(browser, typed):
    account_of("administrators", user_name="Desk", email="desk@Example.org", mobile="13800000000")
    assert enter(browser, typed, PASSWORD)


def test_counts_like_a_login(browser):
    administrator = account_of("administrators")
    assert not enter(browser, administrator.user_name, OTHER)
    assert stored(administrator).count_of_failed_login == 1
    assert enter(browser, administrator.user_name, PASSWORD)
    after = stored(administrator)
    assert (after.count_of_login, after.count_of_failed_login) == (1, 0)
    assert after.last_activity_date is not None and after.last_login is not None


@pytest.mark.parametrize(
    "password", [OTHER, md5_form(PASSWORD), md5_form(PASSWORD).upper(), "x" * 257, " harbour-21"], ids=range(5)
)
def test_refuses_all_but_the_plain_password(browser, password):
    assert not enter(browser, account_of("administrators").user_name, password)


@pytest.mark.parametrize(("sent", "focused"), [(None, "username"), ("desk", "password"), ("", "username")])
def test_the_focus_is_where_to_type_next(browser, sent, focused):
    page = browser.get(LOGIN) if sent is None else browser.post(LOGIN, {"username": sent, "password": OTHER})
    found = re.findall("<input[^>]* autofocus[^>]*>", page.content.decode())
    assert [re.search('name="(.*?)"', each)[1] for each in found] == [focused]


def test_refuses_what_is_stored_and_shown(browser):
    administrator = account_of("administrators")
    assert not enter(browser, administrator.user_name, administrator.password)


def test_refuses_the_locked_the_unknown_and_users(browser):
    locked, user = account_of("administrators", is_locked_out=True), account_of("users", user_name="visitor")
    for name in (locked.user_name, "nobody", user.user_name):
        assert not enter(browser, name, PASSWORD)


def test_lock_out_holds_here_too(browser, settings):
    settings.CMS_LOCKOUT = "forever"
    administrator = account_of("administrators", count_of_failed_login=3)
    assert not enter(browser, administrator.user_name, PASSWORD)


def test_failures_here_and_at_the_login_count_together(browser, stranger, settings, caplog):
    settings.CMS_LOGIN_FAILURES_PER_ACCOUNT = 2
    administrator = account_of("administrators")
    assert not enter(browser, administrator.user_name, OTHER)
    log_in(stranger, "administrators", administrator, OTHER)
    with caplog.at_level(logging.WARNING, "accounts.backends"):
        assert not enter(browser, administrator.user_name, PASSWORD)
    assert "too_many_failures" in caplog.text
    assert log_in(stranger, "administrators", administrator, PASSWORD).status_code == 429


def test_a_refusal_is_logged_without_name_and_password(browser, caplog):
    with caplog.at_level(logging.WARNING, "accounts.backends"):
        assert not enter(browser, "nobody", OTHER, REMOTE_ADDR="192.0.2.7")
    (message,) = [record.getMessage() for record in caplog.records if record.name == "accounts.backends"]
    assert "192.0.2.7" in message and "sign_in_failed" in message
    assert OTHER not in message and "nobody" not in message


def shown(browser, typed, password):
    """What the page says after a refusal."""
    return browser.post(LOGIN, {"username": typed, "password": password, "next": HOME}).content.decode()


def test_the_page_asks_for_what_one_may_sign_in_by(browser):
    assert "Name, email address or mobile number" in browser.get(LOGIN).content.decode()


@pytest.mark.parametrize("password", [OTHER, "x" * 257], ids=["wrong", "long"])
def test_the_page_refuses_unknown_accounts_and_wrong_passwords_alike(browser, password):
    known = account_of("administrators").user_name
    for name in ("nobody", known):
        assert "The account or the password is wrong, or the account is locked." in shown(browser, name, password)


def test_the_page_says_how_long_the_limits_refuse(browser, settings):
    settings.CMS_LOGIN_FAILURES_PER_ACCOUNT = 1
    name = account_of("administrators").user_name
    assert "The account or the password is wrong" in shown(browser, name, OTHER)
    page = shown(browser, name, PASSWORD)
    assert re.search(r"Too many attempts have failed. Try again in \d+ minutes\.", page)
    assert "The account or the password is wrong" not in page


def test_a_name_is_taken_as_it_was_typed(browser):
    assert enter(browser, account_of("administrators", user_name="Ⅳ号").user_name, PASSWORD)


def test_without_a_request_there_is_no_address():
    administrator = account_of("administrators")
    assert authenticate(username=administrator.user_name, password=PASSWORD) == administrator
    assert authenticate(user_name=administrator.user_name, password=PASSWORD) == administrator
    assert authenticate(username=administrator.user_name, password=OTHER) is None


@pytest.mark.parametrize("credentials", [{}, {"username": None}, {"username": "desk"}, {"password": PASSWORD}])
def test_without_name_or_password_nobody_is_asked_for(credentials, django_assert_num_queries):
    with django_assert_num_queries(0):
        assert authenticate(**credentials) is None


def test_a_session_ends_with_the_password_and_with_a_lock(browser, api):
    administrator = account_of("administrators")
    assert enter(browser, administrator.user_name, PASSWORD)
    assert reset(api, "administrators", administrator).status_code == 200
    assert browser.get(HOME).status_code == 302
    assert enter(browser, administrator.user_name, OTHER)
    Administrator.objects.filter(pk=administrator.pk).update(is_locked_out=True)
    assert browser.get(HOME).status_code == 302


def test_a_session_survives_when_the_password_is_only_hashed_anew(browser, settings):
    administrator = account_of("administrators")
    assert enter(browser, administrator.user_name, PASSWORD)
    settings.PASSWORD_PEPPERS = {"p2": "another secret"} | settings.PASSWORD_PEPPERS
    log_in(ApiClient(), "administrators", administrator, PASSWORD)
    assert stored(administrator).password.startswith("wire_argon2id$p2$")
    assert browser.get(HOME).status_code == 200


def test_the_page_for_ones_own_password_works(browser):
    administrator = account_of("administrators")
    enter(browser, administrator.user_name, PASSWORD)
    form = {"old_password": PASSWORD, "new_password1": OTHER, "new_password2": OTHER}
    weak = {"old_password": PASSWORD, "new_password1": "weak", "new_password2": "weak"}
    assert browser.post("/admin/password_change/", weak).status_code == 200
    assert stored(administrator).check_password(PASSWORD)
    assert browser.post("/admin/password_change/", form).status_code == 302
    assert stored(administrator).check_password(OTHER)
    assert stored(administrator).password_stamp != administrator.password_stamp
    assert browser.get(HOME).status_code == 200


def test_guesses_of_ones_own_password_are_limited_and_noted(browser, settings):
    settings.CMS_LOGIN_FAILURES_PER_ACCOUNT = 2
    administrator = account_of("administrators")
    enter(browser, administrator.user_name, PASSWORD)

    def guess(password):
        form = {"old_password": password, "new_password1": "weak", "new_password2": "weak"}
        return browser.post("/admin/password_change/", form).context["form"].errors.get("old_password")

    assert guess(PASSWORD) is None
    assert guess(OTHER) == guess(OTHER) == ["This is not your password."]
    assert "Too many attempts have failed" in guess(PASSWORD)[0]
    assert AuditEntry.objects.filter(action="administrator.identity_not_confirmed").count() == 2


def test_a_sign_in_that_was_asked_to_lead_elsewhere_leads_to_the_start_page(browser):
    administrator = account_of("administrators")
    form = {"username": administrator.user_name, "password": PASSWORD, "next": "https://elsewhere.example/"}
    assert browser.post(LOGIN, form).headers["Location"] == HOME


def test_createsuperuser_makes_an_account_that_signs_in(browser, monkeypatch):
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", PASSWORD)
    call_command("createsuperuser", interactive=False, user_name="root", verbosity=0)
    assert enter(browser, "root", PASSWORD)
    assert log_in(ApiClient(), "administrators", "root", PASSWORD).status_code == 200


TAKEN = {"user_name": "Root", "email": "root@corp.example", "mobile": "13800000000"}


@pytest.mark.parametrize("name", ["root", "ROOT@corp.example", "13800000000"])
def test_createsuperuser_takes_no_name_that_hides_another_administrator(monkeypatch, name):
    account_of("administrators", **TAKEN)
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", PASSWORD)
    with pytest.raises(CommandError, match="taken"):
        call_command("createsuperuser", interactive=False, user_name=name, verbosity=0)
    assert Administrator.objects.count() == 1


@pytest.mark.parametrize("name", [" spaced ", "spaced\u3000", "bell\a", "line\nline", " "])
def test_createsuperuser_takes_no_name_that_nobody_can_sign_in_by(monkeypatch, name):
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", PASSWORD)
    with pytest.raises(CommandError, match="The name must be a text that is not blank"):
        call_command("createsuperuser", interactive=False, user_name=name, verbosity=0)
    assert not Administrator.objects.exists()


def test_changepassword_changes_it_and_refuses_weak_ones(monkeypatch, capsys):
    administrator = account_of("administrators")
    typed = iter([OTHER, OTHER])
    monkeypatch.setattr(
        "django.contrib.auth.management.commands.changepassword.getpass.getpass", lambda prompt: next(typed)
    )
    call_command("changepassword", administrator.user_name)
    after = stored(administrator)
    assert after.check_password(OTHER) and after.password_stamp != administrator.password_stamp
    typed = iter(["weak"] * 6)
    with pytest.raises(CommandError):
        call_command("changepassword", administrator.user_name)
    assert stored(administrator).check_password(OTHER)
