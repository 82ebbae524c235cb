"""The second factor: what the app and recovery codes open, and how they are limited, replaced and removed."""

import io
import re
import time
from datetime import timedelta

import pytest
from django.core import signing
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from accounts import attempts, second_factor, sign_in
from accounts.admin import second_step
from accounts.models import RecoveryCode, SecondFactor
from core.audit.models import AuditEntry
from core.lib import clock
from core.mail.models import OutgoingMail
from tests.accounts.second_factors import SECRET, STEP, code_of, protected
from tests.accounts.signing_in import OTHER, PASSWORD, account_of, log_in, stored
from tests.assertions import assert_error
from tests.contents.threads import at_once

pytestmark = pytest.mark.django_db
HOME, PAGE, LOGIN, STEP_TWO = "/admin/", "/admin/account/second-factor/", "/admin/login/", "/admin/second-step/"
WRONG = "000000"


@pytest.fixture(autouse=True)
def the_wrong_code_is_wrong(monkeypatch):
    real = second_factor._step_of
    monkeypatch.setattr(second_factor, "_step_of", lambda secret, code: None if code == WRONG else real(secret, code))


def enter_password(browser, administrator, password=PASSWORD):
    """The page after the first step."""
    return browser.post(LOGIN, {"username": administrator.user_name, "password": password, "next": HOME})


def enter_code(browser, page, code, target=HOME):
    return browser.post(STEP_TWO, {"state": page.context["state"], "code": code, "next": target})


def is_in(browser):
    return browser.get(HOME).status_code == 200


def test_the_session_begins_after_the_code():
    administrator, _codes = protected()
    browser = Client()
    page = enter_password(browser, administrator)
    assert page.status_code == 200 and not is_in(browser)
    assert stored(administrator).count_of_login == 0
    assert not AuditEntry.objects.filter(action="administrator.signed_in").exists()
    assert enter_code(browser, page, code_of()).headers["Location"] == HOME
    assert is_in(browser)
    assert stored(administrator).count_of_login == 1
    assert AuditEntry.objects.filter(action="administrator.signed_in").count() == 1


def test_a_wrong_password_asks_for_no_code():
    administrator, _codes = protected()
    assert "state" not in enter_password(Client(), administrator, OTHER).context


def test_a_code_leads_to_no_other_host():
    administrator, _codes = protected()
    browser = Client()
    page = enter_password(browser, administrator)
    assert enter_code(browser, page, code_of(), "https://elsewhere.example/").headers["Location"] == HOME


@pytest.mark.parametrize("steps, is_right", [(-2, False), (-1, True), (1, True), (2, False)])
def test_the_clock_of_the_device_may_differ_by_one_step(steps, is_right, monkeypatch):
    administrator, _codes = protected()
    now = 1_800_000_000 + STEP / 2
    monkeypatch.setattr(time, "time", lambda: now)
    assert second_factor.use_up(administrator, code_of(steps=steps)) is is_right


def test_a_code_is_accepted_once_and_none_before_it(monkeypatch):
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now)
    administrator, _codes = protected()
    assert second_factor.use_up(administrator, code_of())
    assert not second_factor.use_up(administrator, code_of())
    assert not second_factor.use_up(administrator, code_of(steps=-1))
    assert second_factor.use_up(administrator, f" {code_of(steps=1)[:3]} {code_of(steps=1)[3:]}")


def test_a_recovery_code_signs_in_once():
    administrator, codes = protected()
    assert len(set(codes)) == 10
    for expected in (True, False):
        browser = Client()
        enter_code(browser, enter_password(browser, administrator), codes[0].upper())
        assert is_in(browser) is expected
    assert administrator.recovery_codes.count() == 9
    stored_texts = [*RecoveryCode.objects.values_list("digest", flat=True)]
    assert not any(code.replace("-", "") in text for code in codes for text in stored_texts)


@pytest.mark.any_database
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("kind", ["code", "recovery code"])
def test_of_equal_codes_at_once_one_is_accepted(kind):
    administrator, codes = protected()
    code = code_of() if kind == "code" else codes[0]
    assert sorted(at_once(None, *[lambda client: second_factor.use_up(administrator, code)] * 6)) == [False] * 5 + [
        True
    ]


def test_wrong_codes_meet_the_limits_of_wrong_passwords(settings, stranger):
    settings.CMS_LOGIN_FAILURES_PER_ACCOUNT = 2
    administrator, _codes = protected()
    browser = Client()
    page = enter_password(browser, administrator)
    for _attempt in range(2):
        assert "The code is wrong or has been used." in enter_code(browser, page, WRONG).content.decode()
    assert "Too many attempts have failed" in enter_code(browser, page, code_of()).content.decode()
    assert not is_in(browser)
    # Further passwords fail too, without telling that they are right.
    assert_error(log_in(stranger, "administrators", administrator, PASSWORD), 400, "sign_in_failed")
    assert stored(administrator).count_of_failed_login >= 2
    reasons = [entry.details["reason"] for entry in AuditEntry.objects.filter(action="administrator.sign_in_failed")]
    assert reasons[:2] == ["wrong_code"] * 2


def test_right_passwords_do_not_reset_the_count_of_wrong_codes(settings):
    settings.CMS_LOGIN_FAILURES_PER_ACCOUNT = 2
    administrator, _codes = protected()
    for _attempt in range(2):
        browser = Client()
        enter_code(browser, enter_password(browser, administrator), WRONG)
    assert "state" not in enter_password(Client(), administrator).context


def test_a_lock_out_counts_wrong_codes(settings):
    settings.CMS_LOCKOUT, settings.CMS_LOCKOUT_FAILURES = "forever", 1
    administrator, _codes = protected()
    browser = Client()
    page = enter_password(browser, administrator)
    enter_code(browser, page, WRONG)
    enter_code(browser, page, code_of())
    assert not is_in(browser)


@pytest.mark.parametrize("change", ["time", "password", "lock", "forged"])
def test_the_code_must_follow_soon_and_the_account_be_as_it_was(change, monkeypatch):
    administrator, _codes = protected()
    browser = Client()
    state = enter_password(browser, administrator).context["state"]
    if change == "time":
        monkeypatch.setattr(second_step, "SECONDS", -1)
    elif change == "password":
        administrator.set_password(OTHER)
        administrator.save()
    elif change == "lock":
        administrator.is_locked_out = True
        administrator.save()
    else:
        state += "x"
    answer = browser.post(STEP_TWO, {"state": state, "code": code_of(), "next": HOME})
    assert answer.headers["Location"].startswith(LOGIN)
    assert not is_in(browser)


def test_the_second_step_without_the_first_leads_to_the_sign_in():
    assert Client().get(STEP_TWO).headers["Location"].startswith(LOGIN)


def test_the_api_is_no_way_around(stranger):
    administrator, codes = protected()

    def attempt(password=PASSWORD, **members):
        body = {"account": administrator.user_name, "password": password, **members}
        return stranger.post("/api/v1/administrators/actions/login", body)

    assert_error(attempt(), 400, "second_factor_required")
    assert_error(attempt(code=""), 400, "second_factor_required")
    assert_error(attempt(OTHER), 400, "sign_in_failed")
    assert attempt(code=WRONG).content == attempt(OTHER, code=code_of()).content
    assert attempt(code=code_of()).json()["accessToken"]
    assert attempt(code=codes[0]).status_code == 200
    assert stored(administrator).count_of_login == 2


def test_accounts_without_one_ignore_the_code(stranger):
    body = {"account": account_of("administrators").user_name, "password": PASSWORD, "code": WRONG}
    assert stranger.post("/api/v1/administrators/actions/login", body).status_code == 200


# ---- Guesses from many networks


def guess(browser, state, number, code=WRONG):
    """The answer to a code that comes from a network of its own."""
    sent = {"state": state, "code": code, "next": HOME}
    return browser.post(STEP_TWO, sent, REMOTE_ADDR=f"2001:db8:0:{number:x}::1")


def log_in_with(client, administrator, code, number=0):
    body = {"account": administrator.user_name, "password": PASSWORD, "code": code}
    address = f"2001:db8:1:{number:x}::1"
    return client.post("/api/v1/administrators/actions/login", body, REMOTE_ADDR=address)


def guessed(administrator, wrong):
    """The administrator after so many wrong codes, each from a network of its own."""
    for number in range(wrong):
        with pytest.raises(attempts.SignInFailed):
            sign_in.finish_sign_in(administrator, WRONG, f"2001:db8:2:{number:x}::1")


def test_after_ten_wrong_codes_the_password_is_asked_for_again():
    administrator, _codes = protected()
    browser = Client()
    # A second note of the same time is worth no further guesses.
    states = [enter_password(browser, administrator).context["state"] for _note in range(2)]
    for number in range(9):
        assert "The code is wrong" in guess(browser, states[number % 2], number).content.decode()
    tenth = guess(browser, states[1], 9)
    assert tenth.headers["Location"].startswith(LOGIN)
    assert "too many codes were wrong" in browser.get(LOGIN).content.decode()
    for state in states:
        assert guess(browser, state, 10, code_of()).headers["Location"].startswith(LOGIN)
    assert not is_in(browser)
    assert guess(browser, enter_password(browser, administrator).context["state"], 11, code_of()).status_code == 302
    assert is_in(browser)


def test_nine_wrong_codes_leave_the_tenth_to_its_owner():
    administrator, _codes = protected()
    browser = Client()
    state = enter_password(browser, administrator).context["state"]
    for number in range(9):
        guess(browser, state, number)
    guess(browser, state, 9, code_of())
    assert is_in(browser)


def test_a_note_of_the_last_release_asks_for_the_password():
    administrator, _codes = protected()
    state = signing.dumps([administrator.pk, administrator.get_session_auth_hash()], salt=second_step._SALT)
    assert guess(Client(), state, 0, code_of()).headers["Location"].startswith(LOGIN)


def test_after_twenty_wrong_codes_within_an_hour_codes_are_refused(stranger):
    administrator, _codes = protected()
    for number in range(19):
        assert_error(log_in_with(stranger, administrator, WRONG, number), 400, "sign_in_failed")
    assert_error(log_in_with(stranger, administrator, WRONG, 19), 400, "sign_in_failed")
    refused = log_in_with(stranger, administrator, code_of(), 20)
    assert_error(refused, 429, "too_many_failures")
    assert 3000 < int(refused.headers["Retry-After"]) <= 3600
    browser = Client()
    page = guess(browser, enter_password(browser, administrator).context["state"], 21, code_of())
    assert "Try again in 60 minutes." in page.content.decode()
    own = signed_in(administrator)
    assert own.post(PAGE, {"off": "1", "own_password": PASSWORD, "code": code_of()}).status_code == 200
    assert second_factor.has(administrator) and not is_in(browser)


def test_nineteen_wrong_codes_do_not_refuse_the_right_one(stranger):
    administrator, _codes = protected()
    guessed(administrator, 19)
    assert log_in_with(stranger, administrator, code_of()).status_code == 200
    # A right code starts no new count: guesses go on while the owner signs in.
    guessed(administrator, 1)
    assert_error(log_in_with(stranger, administrator, code_of(steps=1)), 429, "too_many_failures")


def test_a_recovery_code_still_lets_the_owner_in(stranger):
    administrator, codes = protected()
    guessed(administrator, 20)
    assert_error(log_in_with(stranger, administrator, "a" * 16), 400, "sign_in_failed")
    assert log_in_with(stranger, administrator, codes[0], 1).status_code == 200


@pytest.mark.parametrize("minutes, status", [(59, 429), (61, 200)])
def test_the_refusal_lasts_an_hour_from_the_last_wrong_code(stranger, monkeypatch, minutes, status):
    administrator, _codes = protected()
    guessed(administrator, 19)
    moment = clock.now()
    monkeypatch.setattr(clock, "now", lambda: moment + timedelta(minutes=50))
    guessed(administrator, 1)
    monkeypatch.setattr(clock, "now", lambda: moment + timedelta(minutes=50 + minutes))
    assert log_in_with(stranger, administrator, code_of()).status_code == status


def test_wrong_codes_of_another_hour_do_not_count(stranger, monkeypatch):
    administrator, _codes = protected()
    guessed(administrator, 19)
    moment = clock.now()
    monkeypatch.setattr(clock, "now", lambda: moment + timedelta(minutes=61))
    guessed(administrator, 19)
    assert log_in_with(stranger, administrator, code_of()).status_code == 200


def test_no_codes_of_a_stranger_count(stranger):
    administrator, _codes = protected()
    for number in range(25):
        body = {"account": administrator.user_name, "password": OTHER, "code": WRONG}
        stranger.post("/api/v1/administrators/actions/login", body, REMOTE_ADDR=f"2001:db8:3:{number:x}::1")
    assert second_factor.recent_wrong_codes(administrator) == 0
    assert log_in_with(stranger, administrator, code_of()).status_code == 200


def test_the_owner_learns_that_someone_knows_the_password(settings):
    settings.CMS_EMAIL_URL, settings.CMS_ADMIN_URL = "smtp://localhost", "https://cms.example.org"
    administrator, _codes = protected(user_name="desk", email="desk@example.org")
    guessed(administrator, 19)
    assert not OutgoingMail.objects.exists()
    guessed(administrator, 1)
    mail = OutgoingMail.objects.get()
    assert (mail.recipient, mail.subject) == ("desk@example.org", "Someone may know your password")
    assert "the account desk" in mail.text and "https://cms.example.org/admin/forgotten-password/" in mail.text
    with pytest.raises(attempts.SignInFailed):
        sign_in.finish_sign_in(administrator, "b" * 16, "192.0.2.1")
    assert OutgoingMail.objects.count() == 1


def test_unlocking_ends_the_refusal(stranger):
    administrator, _codes = protected(user_name="desk")
    guessed(administrator, 20)
    call_command("unlock_account", "desk", stdout=io.StringIO())
    assert log_in_with(stranger, administrator, code_of()).status_code == 200


@pytest.mark.any_database
@pytest.mark.django_db(transaction=True)
def test_codes_at_once_are_counted_each(monkeypatch):
    monkeypatch.setattr(second_factor, "REFUSE", 3)
    administrator, _codes = protected()

    def judge(_client):
        try:
            return second_factor.use_up(administrator, WRONG)
        except second_factor.LimitReached:
            return "refused"

    assert sorted(map(str, at_once(None, *[judge] * 6))) == ["False"] * 3 + ["refused"] * 3


# ---- Its page


def signed_in(administrator):
    browser = Client()
    browser.force_login(administrator)
    return browser


def offered_secret(browser):
    return browser.get(PAGE).context["secret"].replace(" ", "")


def set_up(browser, secret, password=PASSWORD):
    return browser.post(PAGE, {"code": code_of(secret), "own_password": password})


def test_setting_it_up_shows_recovery_codes_once():
    administrator = account_of("administrators")
    browser = signed_in(administrator)
    secret = offered_secret(browser)
    assert secret == offered_secret(browser)
    assert set_up(browser, secret, OTHER).context["form"].errors.keys() == {"own_password"}
    wrong = browser.post(PAGE, {"code": WRONG, "own_password": PASSWORD})
    assert wrong.context["form"].errors.keys() == {"code"} and not SecondFactor.objects.exists()
    codes = set_up(browser, secret).context["codes"]
    assert len(codes) == 10 and SecondFactor.objects.get(pk=administrator.pk).secret == secret
    page = browser.get(PAGE).content.decode()
    assert "10 recovery codes are left." in page
    assert secret not in page and codes[0] not in page
    assert "_second_factor_secret" not in browser.session
    assert AuditEntry.objects.filter(action="administrator.second_factor_set_up").count() == 1


def test_it_is_not_set_up_over_another():
    administrator, _codes = protected()
    with pytest.raises(second_factor.InvalidInput):
        second_factor.set_up(administrator.pk, SECRET, code_of())


@pytest.mark.parametrize(
    "sent, wrong", [({"code": WRONG}, "code"), ({"own_password": OTHER}, "own_password")], ids=["code", "password"]
)
def test_turning_it_off_needs_password_and_code(sent, wrong):
    administrator, _codes = protected()
    browser = signed_in(administrator)
    right = {"off": "1", "own_password": PASSWORD, "code": code_of()}
    assert browser.post(PAGE, right | sent).context["form"].errors.keys() == {wrong}
    assert second_factor.has(administrator)
    assert browser.post(PAGE, right).status_code == 302
    assert not second_factor.has(administrator) and not administrator.recovery_codes.exists()


def test_guesses_of_codes_there_are_limited_too(settings):
    settings.CMS_LOGIN_FAILURES_PER_ACCOUNT = 2
    administrator, _codes = protected()
    browser = signed_in(administrator)
    sent = {"off": "1", "own_password": PASSWORD}
    for _attempt in range(2):
        browser.post(PAGE, sent | {"code": WRONG})
    page = browser.post(PAGE, sent | {"code": code_of()})
    assert second_factor.has(administrator)
    assert "Too many attempts have failed" in page.content.decode()


def test_new_recovery_codes_replace_the_old_ones():
    administrator, old = protected()
    page = signed_in(administrator).post(PAGE, {"renew": "1", "own_password": PASSWORD, "code": code_of()})
    assert not second_factor.use_up(administrator, old[0])
    assert second_factor.use_up(administrator, page.context["codes"][0])


@pytest.mark.parametrize(
    "required, is_superuser, is_led",
    [("off", True, False), ("highest", True, True), ("highest", False, False), ("all", False, True)],
)
def test_administrators_who_must_have_one_are_led_to_its_set_up(settings, required, is_superuser, is_led):
    administrator = account_of("administrators", is_superuser=is_superuser)
    browser = signed_in(administrator)
    settings.CMS_REQUIRE_SECOND_FACTOR = required
    for place in (HOME, "/admin/account/", "/admin/password_change/", "/admin/accounts/user/add/"):
        answer = browser.get(place)
        assert (answer.status_code == 302 and answer.headers["Location"] == PAGE) is is_led, place
    if is_led:
        assert "needs a second factor" in browser.get(PAGE).content.decode()
        set_up(browser, offered_secret(browser))
        assert is_in(browser)
    assert browser.post("/admin/logout/").status_code == 200


# ---- Lost devices


def test_the_highest_rank_removes_it_and_its_owner_gets_an_e_mail(settings):
    settings.CMS_EMAIL_URL = "smtp://localhost"
    administrator, _codes = protected(email="desk@example.org", language="zh-hans")
    browser = signed_in(account_of("administrators"))
    action = reverse("admin:accounts_administrator_action", args=["reset-second-factor"])
    browser.post(action, {"ids": str(administrator.pk), "own_password": OTHER})
    assert second_factor.has(administrator)
    assert browser.post(action, {"ids": str(administrator.pk), "own_password": PASSWORD}).status_code == 302
    assert not second_factor.has(administrator)
    mail = OutgoingMail.objects.get()
    assert mail.recipient == "desk@example.org" and re.search(r"[\u4e00-\u9fff]", mail.subject)
    assert AuditEntry.objects.filter(action="administrator.second_factor_reset").count() == 1


def test_the_command_removes_it():
    administrator, _codes = protected(user_name="Desk")
    said = io.StringIO()
    call_command("reset_second_factor", "desk", stdout=said)
    assert "Desk was removed" in said.getvalue()
    assert not second_factor.has(administrator)
    for name, told in (("desk", "no second factor"), ("nobody", "no administrator")):
        with pytest.raises(CommandError, match=told):
            call_command("reset_second_factor", name)
