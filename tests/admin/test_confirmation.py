"""The administrator's own password: which forms ask for it, and that a session confirms it once in ten minutes."""

import time

import pytest
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.test import Client
from django.urls import reverse

from accounts.models import Administrator
from core.admin import confirmation
from core.lib import clock
from tests.accounts.second_factors import code_of, protected
from tests.accounts.signing_in import OTHER, PASSWORD, account_of, nothing_counted
from tests.factories import AdministratorFactory, ApiKeyFactory
from webhooks.models import Webhook

__all__ = ["nothing_counted"]
pytestmark = pytest.mark.django_db
ADD, HOOKS = reverse("admin:webhooks_webhook_add"), reverse("admin:webhooks_webhook_changelist")
REFUSED, RIGHT = "http://10.0.0.1/", "https://receiver.example/hook"
NEW = "north-shoal-77"


def signed_in(administrator=None):
    browser = Client()
    browser.force_login(administrator or account_of("administrators"))
    return browser


def add_hook(browser, url=RIGHT, **sent):
    return browser.post(ADD, {"name": "news", "url": url, "site_id": "0", "is_on": "on"} | sent)


def confirmed(browser=None):
    """A browser whose session has confirmed the password, by a form that was refused for another reason."""
    browser = browser or signed_in()
    page = add_hook(browser, REFUSED, own_password=PASSWORD)
    assert page.status_code == 200 and not Webhook.objects.exists()
    return browser


def asks(page):
    return 'name="own_password"' in page.content.decode()


def test_a_refused_form_does_not_ask_for_the_password_again():
    browser = signed_in()
    page = add_hook(browser, REFUSED, own_password=PASSWORD)
    assert set(page.context["form"].errors) == {"url"} and not asks(page)
    assert PASSWORD not in page.content.decode() and f'value="{REFUSED}"' in page.content.decode()
    add_hook(browser)
    assert Webhook.objects.get().url == RIGHT


@pytest.mark.parametrize("sent", [{}, {"own_password": ""}, {"own_password": OTHER}], ids=str)
def test_without_the_right_password_it_is_asked_for_again(sent):
    browser = signed_in()
    for url in (REFUSED, RIGHT):
        page = add_hook(browser, url, **sent)
        assert "own_password" in page.context["form"].errors and asks(page)
    assert asks(browser.get(ADD)) and not Webhook.objects.exists()


@pytest.mark.parametrize("seconds, is_asked", [(599, False), (601, True)])
def test_it_lasts_ten_minutes(monkeypatch, seconds, is_asked):
    browser, now = confirmed(), time.time()
    monkeypatch.setattr(confirmation.time, "time", lambda: now + seconds)
    assert asks(browser.get(ADD)) is is_asked
    add_hook(browser)
    assert Webhook.objects.exists() is not is_asked


def test_it_holds_for_one_session():
    administrator = account_of("administrators")
    confirmed(signed_in(administrator))
    other = signed_in(administrator)
    assert asks(other.get(ADD))
    add_hook(other)
    assert not Webhook.objects.exists()


def test_a_wrong_password_from_an_older_page_is_refused_and_ends_it():
    browser = confirmed()
    page = add_hook(browser, own_password=OTHER)
    assert set(page.context["form"].errors) == {"own_password"} and asks(page)
    assert asks(browser.get(ADD)) and not Webhook.objects.exists()
    confirmed(browser)
    sent = {"user_name": "ann", "rank": "ordinary", "password": NEW, "own_password": OTHER}
    assert asks(browser.post(reverse("admin:accounts_administrator_add"), sent))
    assert not Administrator.objects.filter(user_name="ann").exists()


def test_signing_out_ends_it():
    administrator = account_of("administrators")
    browser = confirmed(signed_in(administrator))
    browser.post("/admin/logout/")
    browser.force_login(administrator)
    assert asks(browser.get(ADD))


@pytest.mark.parametrize("is_own", [True, False], ids=["own change", "end of other sessions"])
def test_a_new_stamp_ends_it(is_own):
    browser = confirmed()
    if is_own:
        sent = {"old_password": PASSWORD, "new_password1": NEW, "new_password2": NEW}
        assert browser.post("/admin/password_change/", sent).status_code == 302
    else:
        browser.post("/admin/account/sessions/", {"others": "1"})
    assert browser.get("/admin/").status_code == 200
    assert asks(browser.get(ADD))


def test_a_refused_new_password_does_not_ask_for_the_old_one_again():
    administrator = account_of("administrators")
    browser, place = signed_in(administrator), "/admin/password_change/"
    page = browser.post(place, {"old_password": PASSWORD, "new_password1": NEW, "new_password2": OTHER})
    assert set(page.context["form"].errors) == {"new_password2"}
    assert "old_password" not in page.content.decode()
    assert browser.post(place, {"new_password1": NEW, "new_password2": NEW}).status_code == 302
    administrator.refresh_from_db()
    assert administrator.check_password(NEW)


def test_no_form_asks_during_that_time():
    browser, colleague = signed_in(), AdministratorFactory()
    hook, key = Webhook.create({"name": "old", "url": RIGHT}, 0), ApiKeyFactory()
    places = [
        reverse("admin:accounts_administrator_add"),
        reverse("admin:accounts_administrator_change", args=[colleague.pk]),
        reverse("admin:accounts_administrator_password", args=[colleague.pk]),
        f"{reverse('admin:accounts_administrator_action', args=['delete'])}?ids={colleague.pk}",
        reverse("admin:apikeys_apikey_add"),
        reverse("admin:apikeys_apikey_edit", args=[key.pk]),
        reverse("admin:apikeys_apikey_rotate", args=[key.pk]),
        ADD,
        reverse("admin:webhooks_webhook_edit", args=[hook.pk]),
        reverse("admin:webhooks_webhook_rotate", args=[hook.pk]),
        f"{reverse('admin:webhooks_webhook_action', args=['delete'])}?ids={hook.pk}",
        "/admin/account/",
        "/admin/account/second-factor/",
    ]
    assert "old_password" in browser.get("/admin/password_change/").content.decode()
    assert [place for place in places if not asks(browser.get(place))] == []
    add_hook(browser, REFUSED, own_password=PASSWORD)
    pages = [browser.get(place) for place in places]
    assert {page.status_code for page in pages} == {200}
    assert [place for place, page in zip(places, pages, strict=True) if asks(page)] == []
    assert "old_password" not in browser.get("/admin/password_change/").content.decode()


def test_an_administrator_is_appointed_changed_and_deleted_without_it():
    browser = confirmed()
    sent = {"user_name": "ann", "rank": "ordinary", "password": NEW, "display_name": "", "email": "", "mobile": ""}
    assert browser.post(reverse("admin:accounts_administrator_add"), sent).status_code == 302
    ann = Administrator.objects.get(user_name="ann")
    browser.post(reverse("admin:accounts_administrator_change", args=[ann.pk]), sent | {"display_name": "Ann"})
    ann.refresh_from_db()
    assert ann.display_name == "Ann"
    # A list still shows what would be done.
    chosen = {"action": "delete", ACTION_CHECKBOX_NAME: ann.pk}
    page = browser.post(reverse("admin:accounts_administrator_changelist"), chosen)
    assert page.status_code == 200 and Administrator.objects.filter(pk=ann.pk).exists()
    browser.post(reverse("admin:accounts_administrator_action", args=["delete"]), {"ids": ann.pk})
    assert not Administrator.objects.filter(pk=ann.pk).exists()


def test_the_own_e_mail_address_changes_without_it():
    administrator = account_of("administrators")
    browser = confirmed(signed_in(administrator))
    form = browser.get("/admin/account/").context["form"]
    sent = {"seen": form["seen"].value(), "email": "new@example.org"}
    assert browser.post("/admin/account/", sent).status_code == 302
    administrator.refresh_from_db()
    assert administrator.email == "new@example.org"


def test_after_ten_wrong_codes_turning_off_the_second_factor_asks_again():
    administrator, _codes = protected()
    browser, place = confirmed(signed_in(administrator)), "/admin/account/second-factor/"
    administrator.second_factor.wrong_codes, administrator.second_factor.wrong_codes_since = 9, clock.now()
    administrator.second_factor.save()
    assert not asks(browser.get(place))
    page = browser.post(place, {"off": "1", "code": "not a code"})
    assert page.context["form"].errors.keys() == {"code"}
    assert asks(browser.get(place))
    page = browser.post(place, {"off": "1", "code": code_of()})
    assert page.context["form"].errors.keys() == {"own_password"}
    assert browser.post(place, {"off": "1", "code": code_of(), "own_password": PASSWORD}).status_code == 302
