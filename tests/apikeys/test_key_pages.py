"""The pages of keys: issuing, showing and acting on them, for the highest rank alone."""

import html
import json
import re
import shlex
from datetime import timedelta

import pytest
from django.db import connection
from django.urls import reverse

from apikeys.models import ApiKey, ApiKeyToken
from core.audit.models import AuditEntry
from core.lib import clock
from tests.accounts.signing_in import OTHER, PASSWORD, account_of, nothing_counted  # noqa: F401
from tests.apikeys.key_pages import ACTIONS, ADD, LIST, TOKEN, Browser, errors, place, shown_token
from tests.clients import ApiClient
from tests.factories import AdministratorFactory, ApiKeyFactory, SiteFactory
from tests.worlds import world

pytestmark = pytest.mark.django_db
PATH = "/api/v1/contents/0/0/0"
HERE = "http://127.0.0.1:8000"


@world
def browser():
    return Browser()


def works(token):
    """Whether the API takes the token: the path leads to nothing."""
    return ApiClient(token).get(PATH).status_code == 404


# ---- Issuing


def test_a_new_key_is_shown_once_with_its_limits_stored(browser):
    site, owner = SiteFactory(), AdministratorFactory()
    sent = {"administrator": owner.pk, "scope_STL": "read", "reach": "some", "sites": [site.pk], "expiry": "90"}
    token = shown_token(browser.issue(**sent))
    key = ApiKey.objects.get()
    assert (key.name, key.administrator, key.scopes) == ("news robot", owner, "Contents:write,STL:read")
    assert key.site_ids == str(site.pk)
    assert timedelta(days=89) < key.expires_at - clock.now() <= timedelta(days=90)
    assert ApiKeyToken.objects.get().matches(token)
    for address in (LIST, place("change", key), place("edit", key), place("operations", key), place("history", key)):
        assert not TOKEN.search(browser.get(address).content.decode())


def test_the_page_with_the_token_is_kept_by_nobody(browser):
    response = browser.issue()
    token = shown_token(response)
    assert "no-store" in response.headers["Cache-Control"]
    assert "Set-Cookie" not in response.headers
    assert token not in json.dumps(dict(browser.session.items()))
    assert token[-38:] not in repr(list(AuditEntry.objects.values()))


def test_sending_the_form_again_makes_no_second_token(browser):
    token = shown_token(browser.issue())
    again = browser.issue()
    assert "name" in errors(again) and not TOKEN.search(again.content.decode())
    assert ApiKeyToken.objects.count() == 1 and works(token)
    for act in ("reset", "rotate"):
        key = ApiKey.objects.get()
        seen = key.stamp
        token = shown_token(browser.act(act, key, seen=seen))
        again = browser.act(act, key, seen=seen)
        assert (again.status_code, TOKEN.search(again.content.decode())) == (302, None)
        assert works(token)


REFUSED = [
    ({"name": " "}, "name", "This field is required."),
    ({"name": "taken"}, "name", "already exists"),
    ({"administrator": ""}, "administrator", "This field is required."),
    ({"administrator": "locked"}, "administrator", "not one of the available choices"),
    ({"scope_Contents": "all"}, "scope_Contents", "not one of the available choices"),
    ({"scope_STL": "write"}, "scope_STL", "not one of the available choices"),
    ({"scope_SQL": "write"}, "scope_SQL", "not one of the available choices"),
    ({"reach": "some"}, "sites", "Choose at least one site."),
    ({"reach": "every", "sites": "site"}, "reach", "Sites are ticked below"),
    ({"reach": "some", "sites": "0"}, "sites", "not one of the available choices"),
    ({"reach": "some", "sites": "site", "scope_Users": "read"}, "scope_Users", "limited to sites cannot have"),
    ({"administrator": "ordinary", "scope_System": "write"}, "scope_System", "owner is a superuser"),
    ({"expiry": "date"}, "expires_on", "Choose the day."),
    ({"expiry": "date", "expires_on": "2020-01-31"}, "expires_on", "in the future"),
    ({"expiry": "date", "expires_on": "soon"}, "expires_on", "Enter a valid date."),
    ({"expiry": "never", "expires_on": "2999-01-31"}, "expiry", "A day is entered below"),
    ({"expiry": "keep"}, "expiry", "not one of the available choices"),
    ({"own_password": ""}, "own_password", "This field is required."),
    ({"own_password": OTHER}, "own_password", "not your password"),
    ({"own_password": "x" * 300}, "own_password", "not your password"),
]


@pytest.mark.parametrize(("sent", "field", "words"), REFUSED, ids=lambda part: str(part)[:40])
def test_what_cannot_be_issued_is_said_at_its_field(browser, sent, field, words):
    ApiKeyFactory(name="taken", administrator=browser.administrator)
    placeholder_credentials = {
        "site": SiteFactory().pk,
        "locked": AdministratorFactory(is_locked_out=True).pk,
        "ordinary": AdministratorFactory(is_superuser=False).pk,
    }
    response = browser.issue(**{name: placeholder_credentials.get(value, value) for name, value in sent.items()})
    found = errors(response)
    assert list(found) == [field] and words in found[field][0]
    assert PASSWORD not in response.content.decode()
    assert ApiKey.objects.count() == 1


def test_a_refused_form_does_not_ask_for_the_password_again(browser):
    browser.issue(name="", own_password=OTHER)
    assert AuditEntry.objects.filter(action="administrator.identity_not_confirmed").count() == 1
    assert "own_password" not in browser.issue(name="").content.decode()


# ---- The curl line


NO_READER = pytest.mark.skipif(connection.vendor == "postgresql", reason="statements need set_up_sql_reader there")
SCOPES = ["Contents:read", "Channels:write", "STL:read", "Users:read", "Administrators:read", "System:write", ""]
SCOPES += [pytest.param("SQL:read", marks=NO_READER)]


@pytest.mark.parametrize("scopes", SCOPES)
def test_the_curl_line_works_as_it_is_printed(browser, scopes):
    SiteFactory()
    fields = {f"scope_{scope}": access for scope, _, access in [each.partition(":") for each in scopes.split(",")]}
    response = browser.post(
        ADD,
        {"name": "k", "administrator": browser.administrator.pk, "reach": "every", "expiry": "never"}
        | {"own_password": PASSWORD}
        | fields,
        headers={"host": "127.0.0.1:8000"},
    )
    line = html.unescape(re.search(r'<code id="curl"[^>]*>(.*?)</code>', response.content.decode())[1])
    assert run(line).status_code == 200
    assert "restart" not in line


def run(line):
    """The answer to a curl line of the kinds that the page prints."""
    words = shlex.split(line)
    assert words.pop(0) == "curl" and words[-1].startswith(f"{HERE}/api/v1/")
    path, method, body, query = words.pop().removeprefix(HERE), "GET", b"", {}
    client = ApiClient()
    while words:
        word = words.pop(0)
        if word == "-H":
            name, value = words.pop(0).split(": ")
            client.defaults[f"HTTP_{name.upper().replace('-', '_')}"] = value
        elif word == "-X":
            method = words.pop(0)
        elif word in ("-d", "--data-urlencode") and "=" in words[0]:
            query |= dict([words.pop(0).split("=", 1)])
        elif word == "-d":
            method, body = "POST", words.pop(0).encode()
        else:
            assert word == "-G"
    return client.send(method, path, body, query_params=query) if query else client.send(method, path, body)


def test_the_curl_line_of_a_limited_key_names_its_site(browser):
    SiteFactory()
    site = SiteFactory()
    page = html.unescape(browser.issue(reach="some", sites=[site.pk]).content.decode())
    assert f'\\"siteId\\": {site.pk}' in page


# ---- Acts


def test_rotation_keeps_the_old_token_and_shows_whether_it_is_used(browser, monkeypatch):
    key = ApiKeyFactory()
    ApiKeyToken.objects.update(last_used_at="2026-01-31 08:00:00")
    token = shown_token(browser.act("rotate", key, overlap=1800))
    assert works(token) and works(key.token)
    previous = key.tokens.get(slot=ApiKeyToken.Slot.PREVIOUS)
    assert previous.valid_until - clock.now() <= timedelta(minutes=30)
    page = browser.get(place("change", key)).content.decode()
    assert key.token[5:13] in page and token[5:13] in page
    assert re.search(r"The old token was last used at [-:\d ]+; it ends at", page)


def test_the_last_use_of_each_token_is_shown_apart(browser):
    key = ApiKeyFactory()
    key.rotate(timedelta(hours=1))
    key.tokens.filter(slot=ApiKeyToken.Slot.CURRENT).update(last_used_at="2026-02-01 09:00:00")
    page = browser.get(place("change", key)).content.decode()
    assert "The old token was never used; it ends at" in page
    assert "2026-02-01 09:00:00" in page


def test_the_old_token_can_be_ended_before_its_time(browser):
    key = ApiKeyFactory()
    token = key.rotate(timedelta(hours=1))
    assert browser.act("end", key).status_code == 302
    assert works(token) and not works(key.token)


def test_reset_ends_every_token(browser):
    key = ApiKeyFactory()
    second = key.rotate(timedelta(hours=1))
    third = shown_token(browser.act("reset", key))
    assert [works(token) for token in (key.token, second, third)] == [False, False, True]


def test_a_key_is_revoked_before_it_is_deleted(browser):
    key = ApiKeyFactory()
    assert browser.act("delete", key).status_code == 302
    assert ApiKey.objects.exists()
    assert browser.act("revoke", key).status_code == 302
    assert not works(key.token)
    for act in ("rotate", "reset", "revoke", "end"):
        before = sorted(ApiKeyToken.objects.values_list("public_part"))
        assert browser.act(act, key).status_code == 302
        assert sorted(ApiKeyToken.objects.values_list("public_part")) == before
    assert browser.get(place("edit", key)).status_code == 302
    assert browser.act("delete", key).status_code == 302
    assert not ApiKey.objects.exists()


def test_a_key_is_changed_and_the_names_of_what_changed_are_noted(browser):
    key, site = ApiKeyFactory(expires_at="2999-01-01 12:30:00"), SiteFactory()
    response = browser.edit(key, name="renamed", scope_STL="", reach="some", sites=[site.pk])
    assert response.status_code == 302
    key.refresh_from_db()
    assert (key.name, key.scopes, key.site_ids) == ("renamed", "Channels:write,Contents:write", str(site.pk))
    assert str(key.expires_at) == "2999-01-01 12:30:00"
    assert AuditEntry.objects.get(action="api_key.changed").changed == ["name", "scopes", "sites"]


def test_a_deleted_site_stays_in_the_list_of_a_key_until_somebody_takes_it_out(browser):
    key = ApiKeyFactory(site_ids="999")
    assert "deleted site 999" in browser.get(place("edit", key)).content.decode()
    assert errors(browser.edit(key, sites=[])) == {"sites": ["Choose at least one site."]}
    assert browser.edit(key, name="renamed").status_code == 302
    assert ApiKey.objects.get().site_ids == "999"


@pytest.mark.parametrize("act", ["rotate", "reset", "revoke", "edit"])
def test_of_two_administrators_at_once_one_wins_and_the_other_is_told(browser, act):
    key = ApiKeyFactory()
    seen = key.stamp
    token = ApiKey.objects.get().reset()
    sent = {"seen": seen}
    response = browser.edit(key, name="renamed", **sent) if act == "edit" else browser.act(act, key, **sent)
    page = browser.get(response.headers["Location"]).content.decode()
    assert "Someone else has changed this key" in page
    assert works(token) and not ApiKey.objects.filter(name="renamed").exists()


@pytest.mark.parametrize("act", ["rotate", "reset", "revoke", "edit"])
@pytest.mark.parametrize("password", ["", OTHER])
def test_no_act_without_the_password(browser, act, password):
    key = ApiKeyFactory()
    response = (
        browser.edit(key, own_password=password) if act == "edit" else browser.act(act, key, own_password=password)
    )
    assert list(errors(response)) == ["own_password"]
    assert works(key.token) and ApiKeyToken.objects.count() == 1


def test_wrong_passwords_are_counted_limited_and_noted(browser, settings):
    settings.CMS_LOGIN_FAILURES_PER_ACCOUNT = 2
    key = ApiKeyFactory()
    for _ in range(4):
        refused = browser.act("reset", key, own_password=OTHER)
    assert "Too many attempts have failed" in errors(refused)["own_password"][0]
    assert "Too many attempts have failed" in errors(browser.act("reset", key))["own_password"][0]
    entries = AuditEntry.objects.filter(action="administrator.identity_not_confirmed")
    assert [entry.administrator_id for entry in entries] == [browser.administrator.pk] * 2


def test_forms_need_their_token_against_forgery(browser):
    key = ApiKeyFactory()
    strict = Browser(browser.administrator)
    strict.handler.enforce_csrf_checks = True
    for address in [ADD, *(place(act, key) for act in [*ACTIONS, "edit"])]:
        assert strict.post(address, {"own_password": PASSWORD, "seen": key.stamp}).status_code in (302, 403)
    assert works(key.token) and ApiKeyToken.objects.count() == 1


# ---- The list


def names(browser, **query):
    return [key.name for key in browser.get(LIST, query).context["cl"].result_list]


def test_the_list_is_narrowed_by_state_owner_and_search(browser):
    owner = AdministratorFactory(is_locked_out=True)
    key = ApiKeyFactory(name="good")
    ApiKeyFactory(name="over", expires_at=clock.now())
    ApiKeyFactory(name="ended").revoke()
    ApiKeyFactory(name="shut", administrator=owner)
    assert names(browser) == ["ended", "good", "over", "shut"]
    states = {"valid": "good", "key_expired": "over", "key_revoked": "ended", "key_owner_locked": "shut"}
    for state, name in states.items():
        assert names(browser, state=state) == [name]
        assert ApiKey.objects.get(name=name).state == state
    assert names(browser, administrator__id__exact=owner.pk) == ["shut"]
    assert names(browser, q=key.token[5:13]) == ["good"]
    assert names(browser, q="OV") == ["over"]


def test_a_token_that_is_pasted_into_the_search_leaves_the_address(browser):
    key = ApiKeyFactory()
    response = browser.get(LIST, {"q": f" {key.token} "})
    assert response.headers["Location"] == f"{LIST}?q={key.token[5:13]}"


def test_the_list_costs_the_same_whatever_its_length(browser, django_assert_max_num_queries):
    for _ in range(5):
        ApiKeyFactory().rotate(timedelta(hours=1))
    with django_assert_max_num_queries(15):
        assert len(names(browser)) == 5


# ---- Other ranks

RANKS = {"ordinary": {"is_superuser": False}, "of a site": {"is_superuser": False, "site_id_collection": "1"}}


@pytest.mark.parametrize("rank", RANKS)
def test_for_other_ranks_the_addresses_lead_nowhere(rank):
    key, other = ApiKeyFactory(), Browser(**RANKS[rank])
    pages = [place(name, key) for name in [*ACTIONS, "change", "edit", "operations", "history"]]
    for address in [LIST, ADD, *pages]:
        assert other.get(address).status_code == 404
        assert other.post(address, {"own_password": PASSWORD, "seen": key.stamp}).status_code == 404
    assert other.issue().status_code == 404
    assert ApiKey.objects.count() == 1 and works(key.token)


def test_a_stranger_is_asked_to_sign_in(client):
    key = ApiKeyFactory()
    for address in [LIST, ADD, *(place(act, key) for act in ACTIONS)]:
        assert client.post(address).status_code == 302


def test_a_key_that_is_not_there_is_404(browser):
    key = ApiKeyFactory()
    key.pk = 10**30
    for name in [*ACTIONS, "change", "edit", "operations"]:
        assert browser.get(place(name, key)).status_code == 404


def test_an_administrator_who_is_no_more_of_the_highest_rank_sees_no_key(browser):
    administrator = account_of("administrators")
    other = Browser(administrator)
    assert other.get(LIST).status_code == 200
    administrator.is_superuser = False
    administrator.save()
    assert other.get(LIST).status_code == 404


@pytest.mark.parametrize("name", [*ACTIONS, "delete_selected", "nothing"])
def test_acts_on_several_keys_at_once_lead_nowhere(browser, name):
    key = ApiKeyFactory()
    address = reverse("admin:apikeys_apikey_action", args=[name])
    chosen = {"ids": str(key.pk), "own_password": PASSWORD}
    assert browser.get(address, chosen).status_code == browser.post(address, chosen).status_code == 404
    browser.post(LIST, {"action": name, "_selected_action": key.pk, "own_password": PASSWORD})
    key.refresh_from_db()
    assert key.revoked_at is None and works(key.token)
