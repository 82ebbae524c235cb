"""Forgotten passwords of administrators: the e-mail, its address, and what strangers learn."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils.crypto import get_random_string

from accounts import password_reset
from accounts.models import Administrator, PasswordReset
from core.audit.models import AuditEntry
from core.lib import clock
from core.mail.models import OutgoingMail
from tests.accounts.signing_in import OTHER, PASSWORD, account_of

pytestmark = pytest.mark.django_db(transaction=True)
PAGE, LOGIN = "/admin/forgotten-password/", "/admin/login/"
NEW = "north-shoal-77"


@pytest.fixture(autouse=True)
def _mail(settings, monkeypatch):
    settings.CMS_EMAIL_URL, settings.CMS_ADMIN_URL = "smtp://localhost", "http://testserver"
    monkeypatch.setattr(password_reset, "_PREFIX", get_random_string(12))  # a Redis server remembers other tests


@pytest.fixture
def administrator():
    return account_of("administrators", user_name="desk", email="Desk@example.org")


def ask(email="desk@example.org", **options):
    return Client().post(PAGE, {"email": email}, **options)


def sent_path():
    """The path in the last e-mail."""
    password_reset.answer_asked()
    text = OutgoingMail.objects.latest("pk").text
    return re.search(r"http://testserver(/\S+)", text)[1]


def set_password(path, password=NEW, again=None):
    browser = Client()
    page = browser.get(path, follow=True)
    if not page.redirect_chain:
        return page
    address = page.redirect_chain[-1][0]
    return browser.post(address, {"new_password1": password, "new_password2": again or password})


def enters(password):
    return Client().post(LOGIN, {"username": "desk", "password": password, "next": "/admin/"}).status_code == 302


def test_a_forgotten_password_is_replaced(administrator):
    Administrator.objects.update(count_of_failed_login=5)
    assert ask().headers["Location"] == LOGIN
    path = sent_path()
    assert OutgoingMail.objects.get().recipient == "Desk@example.org"
    assert set_password(path).headers["Location"] == LOGIN
    assert enters(NEW)
    assert not enters(PASSWORD)
    assert AuditEntry.objects.filter(action="administrator.password_changed").count() == 1
    assert "has been used or has expired" in set_password(path, OTHER).content.decode()


def test_other_sessions_end(administrator):
    browser = Client()
    browser.post(LOGIN, {"username": "desk", "password": PASSWORD, "next": "/admin/"})
    ask()
    set_password(sent_path())
    assert browser.get("/admin/").status_code == 302


def test_weak_and_different_passwords_are_refused(administrator):
    ask()
    path = sent_path()
    assert set_password(path, "a").status_code == 200
    assert set_password(path, NEW, OTHER).status_code == 200
    assert not enters(NEW)


def test_the_address_is_void_after_a_sign_in(administrator):
    ask()
    path = sent_path()
    assert enters(PASSWORD)
    assert "has been used or has expired" in set_password(path).content.decode()


@pytest.mark.parametrize("change", [{"email": "elsewhere@example.org"}, {"password": "x"}, {"is_locked_out": True}])
def test_the_address_is_void_after_a_change_of_the_account(administrator, change):
    ask()
    path = sent_path()
    Administrator.objects.update(**change)
    set_password(path)
    assert not enters(NEW)


def test_the_address_expires(administrator, settings):
    ask()
    path = sent_path()
    settings.PASSWORD_RESET_TIMEOUT = -1
    assert "has been used or has expired" in set_password(path).content.decode()


def test_strangers_cannot_tell_known_addresses(administrator):
    known, unknown = ask(), ask("unknown@example.org")
    assert known.headers["Location"] == unknown.headers["Location"]
    assert not OutgoingMail.objects.exists()  # both are only stored
    password_reset.answer_asked()
    assert [mail.recipient for mail in OutgoingMail.objects.all()] == ["Desk@example.org"]
    assert not PasswordReset.objects.exists()


def test_locked_accounts_and_users_get_nothing(administrator):
    Administrator.objects.update(is_locked_out=True)
    account_of("users", email="member@example.org")
    ask()
    ask("member@example.org")
    password_reset.answer_asked()
    assert not OutgoingMail.objects.exists()


def test_one_account_gets_few_messages(administrator):
    for _number in range(password_reset.MAX_TO_ADDRESS + 2):
        ask()
    password_reset.answer_asked()
    assert OutgoingMail.objects.count() == password_reset.MAX_TO_ADDRESS


def test_one_network_can_ask_a_limited_number_of_times(administrator, monkeypatch):
    monkeypatch.setattr(password_reset, "MAX_FROM_NETWORK", 2)
    answers = [ask(REMOTE_ADDR="192.0.2.1") for _number in range(3)]
    assert [answer.status_code for answer in answers] == [302, 302, 200]
    assert "Try again in 15 minutes." in answers[-1].content.decode()
    assert ask(REMOTE_ADDR="198.51.100.1").status_code == 302


def test_an_old_request_is_not_answered(administrator):
    ask()
    PasswordReset.objects.update(asked_at=clock.now() - timedelta(hours=2))
    password_reset.answer_asked()
    assert not OutgoingMail.objects.exists()


def test_a_foreign_host_name_reaches_no_message(administrator):
    assert ask(HTTP_HOST="evil.example.org").status_code == 400
    assert not PasswordReset.objects.exists()


HOSTS = ["cms.example.org", "other.example.org"]


def test_the_link_never_leads_to_the_host_of_whoever_asks(administrator, settings):
    settings.ALLOWED_HOSTS, settings.CMS_ADMIN_URL = HOSTS, "https://cms.example.org/"
    ask(HTTP_HOST="other.example.org:31337")
    password_reset.answer_asked()
    mail = OutgoingMail.objects.get()
    assert "\nhttps://cms.example.org/admin/forgotten-password/" in mail.text
    assert "other" not in mail.text + mail.html


def test_without_the_setting_it_leads_where_a_superuser_signed_in_last(administrator, settings):
    settings.ALLOWED_HOSTS, settings.CMS_ADMIN_URL = HOSTS, ""
    account_of("administrators", user_name="author", is_superuser=False)
    for name, host in [("author", HOSTS[1]), ("desk", HOSTS[0]), ("author", HOSTS[1])]:
        Client().post(LOGIN, {"username": name, "password": PASSWORD, "next": "/admin/"}, HTTP_HOST=host)
    ask(HTTP_HOST=HOSTS[1])
    password_reset.answer_asked()
    assert "http://cms.example.org/admin/forgotten-password/" in OutgoingMail.objects.get().text


def test_without_any_known_address_no_message_is_sent(administrator, settings, caplog):
    settings.CMS_ADMIN_URL = ""
    ask()
    password_reset.answer_asked()
    assert not OutgoingMail.objects.exists() and not PasswordReset.objects.exists()
    assert "set CMS_ADMIN_URL" in caplog.text


def test_a_request_that_the_last_release_stored_leads_to_the_known_address(administrator):
    PasswordReset.objects.create(email="desk@example.org", base_url="http://evil.example.org", language="en")
    assert sent_path().startswith("/admin/forgotten-password/")


def test_the_message_is_in_the_language_of_the_page(administrator):
    ask(HTTP_ACCEPT_LANGUAGE="zh-CN")
    password_reset.answer_asked()
    mail = OutgoingMail.objects.get()
    assert (mail.subject, "账号 desk" in mail.text) == ("重置密码", True)


def test_without_a_mail_server_there_is_no_such_page(settings):
    settings.CMS_EMAIL_URL = ""
    assert Client().get(PAGE).status_code == 404
    page = Client().get(LOGIN).content.decode()
    assert PAGE not in page
    assert "Forgotten your password? Ask another administrator for a new one." in page


def test_the_sign_in_leads_there():
    page = Client().get(LOGIN).content.decode()
    assert PAGE in page
    assert "Ask another administrator" not in page


def test_an_address_that_has_expired_stays_so_when_clocks_go_back(administrator, autumn):
    autumn("01:30")
    ask()
    path = sent_path()
    for minute, fold in (("02:31", 0), ("02:00", 1), ("02:29", 1)):
        autumn(minute, fold)
        assert "has been used or has expired" in set_password(path).content.decode()


def test_a_request_within_the_repeated_hour_is_answered(administrator, autumn):
    autumn("02:10", 1)
    ask()
    autumn("02:40", 1)
    assert set_password(sent_path()).headers["Location"] == LOGIN
