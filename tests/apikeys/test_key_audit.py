"""What is noted of keys, and what of their tokens is found nowhere."""

import logging
import sys
from datetime import timedelta
from io import StringIO

import pytest
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.core.signals import got_request_exception
from django.db import connection, transaction
from django.views.debug import ExceptionReporter

from apikeys import tokens
from apikeys.models import ApiKey, ApiKeyToken, KeyChanged
from core.audit.models import AuditEntry
from tests.accounts.signing_in import OTHER, PASSWORD, nothing_counted  # noqa: F401
from tests.apikeys.key_pages import ACTIONS, ADD, LIST, Browser, place, shown_token
from tests.factories import AdministratorFactory, ApiKeyFactory
from tests.worlds import world

pytestmark = pytest.mark.django_db


@world
def browser():
    return Browser()


def noted(action):
    return AuditEntry.objects.filter(action=action).latest("id")


PAGES = [
    ("api_key.rotated", lambda browser, key: browser.act("rotate", key), {"overlap": "1:00:00"}),
    ("api_key.overlap_ended", lambda browser, key: browser.act("end", key), {}),
    ("api_key.reset", lambda browser, key: browser.act("reset", key), {}),
    ("api_key.changed", lambda browser, key: browser.edit(key, name="renamed"), {}),
    ("api_key.revoked", lambda browser, key: browser.act("revoke", key), {}),
]


@pytest.mark.parametrize(("action", "do", "details"), PAGES, ids=[row[0] for row in PAGES])
def test_each_act_on_a_page_is_one_entry(browser, action, do, details):
    key = ApiKeyFactory(name="news robot")
    key.rotate(timedelta(hours=1))
    before = set(AuditEntry.objects.values_list("pk", flat=True))
    do(browser, key)
    (entry,) = AuditEntry.objects.exclude(pk__in=before)
    assert (entry.action, entry.object_type, entry.object_id) == (action, "apikeys.apikey", str(key.pk))
    assert (entry.actor_kind, entry.administrator_id) == ("administrator", browser.administrator.pk)
    assert entry.address == "127.0.0.1"
    assert entry.details | details == entry.details


def test_issuing_is_one_entry_with_what_the_key_opens(browser):
    token = shown_token(browser.issue(scope_STL="read"))
    entry = noted("api_key.created")
    assert entry.object_name == "news robot"
    assert entry.details == {
        "owner": browser.administrator.user_name,
        "scopes": "Contents:write,STL:read",
        "sites": "",
        "public_part": token[5:13],
    }
    assert AuditEntry.objects.filter(object_type="apikeys.apikey").count() == 1


def test_commands_are_noted_as_such():
    AdministratorFactory()
    call_command("create_api_key", "robot", stdout=StringIO(), stderr=StringIO())
    call_command("rotate_api_key", "robot", stdout=StringIO())
    entries = AuditEntry.objects.filter(object_name="robot").order_by("id")
    assert [(entry.action, entry.actor_kind) for entry in entries] == [
        ("api_key.created", "command"),
        ("api_key.rotated", "command"),
    ]


def test_a_deleted_key_is_noted_also_when_it_goes_with_its_owner(browser):
    alone, with_owner = ApiKeyFactory(name="alone"), ApiKeyFactory(name="with owner")
    browser.act("revoke", alone)
    browser.act("delete", alone)
    owner = with_owner.administrator
    owner.delete()
    entries = {entry.object_name: entry.details for entry in AuditEntry.objects.filter(action="api_key.deleted")}
    assert "with" not in entries["alone"]
    assert entries["with owner"] == {"command": entries["with owner"]["command"]} | {
        "owner": owner.user_name,
        "with": "owner",
    }


def test_nothing_is_noted_of_what_did_not_happen(browser):
    key = ApiKeyFactory()
    before = AuditEntry.objects.count()
    browser.edit(key)
    with pytest.raises(KeyChanged):
        key.reset(seen="another")
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        key.rotate(timedelta(0))
        raise ZeroDivisionError
    assert AuditEntry.objects.count() == before


# ---- Nowhere else


def walk(browser):
    """Every page and act of a key; the secrets that must be found nowhere but in the one answer."""
    first = shown_token(browser.issue())
    key = ApiKey.objects.get()
    secrets = [first, shown_token(browser.act("rotate", key))]
    yield secrets
    for address in (LIST, ADD, *(place(name, key) for name in ["change", "edit", "operations", "history", *ACTIONS])):
        yield browser.get(address, follow=True).content.decode()
    browser.act("reset", key, own_password=OTHER)
    secrets.append(shown_token(browser.act("reset", key)))
    browser.edit(key, name="")
    browser.act("reset", key, seen="another")
    yield browser.get(LIST, {"q": secrets[-1]}, follow=True).content.decode()
    call_command("list_api_keys", "--all", stdout=(out := StringIO()))
    yield out.getvalue()
    browser.act("revoke", key)
    browser.act("delete", key)
    yield browser.get(LIST).content.decode()


def test_no_token_digest_or_password_in_any_page_log_session_or_table(browser, caplog):
    caplog.set_level(logging.DEBUG)
    secrets, *shown = walk(browser)
    digests = [tokens.digest(token) for token in secrets]
    shown += [record.getMessage() for record in caplog.records if not record.name.startswith("django.db")]
    shown += [str(session.get_decoded()) for session in Session.objects.all()]
    shown += [str(row) for row in AuditEntry.objects.values_list()]
    for secret in [*(token[14:] for token in secrets), *digests, PASSWORD, OTHER]:
        assert not any(secret in text for text in shown)


def test_a_report_of_an_error_tells_neither_token_nor_password(browser, monkeypatch):
    reports = []

    def fail(*arguments, **options):
        raise ZeroDivisionError

    def report(sender, request, **options):
        reports.append((request, sys.exc_info()))

    monkeypatch.setattr("apikeys.models.audit.record", fail)
    monkeypatch.setattr("apikeys.tokens._random", lambda length: "q" * length)
    got_request_exception.connect(report)
    browser.raise_request_exception = False
    key = ApiKey.objects.create(name="k", administrator=browser.administrator)
    assert browser.issue().status_code == 500
    assert browser.act("reset", key).status_code == 500
    got_request_exception.disconnect(report)
    assert len(reports) == 2
    for request, raised in reports:
        text = ExceptionReporter(request, *raised).get_traceback_text()
        html = ExceptionReporter(request, *raised).get_traceback_html()
        assert "ZeroDivisionError" in text
        assert "q" * 32 not in text + html and PASSWORD not in text + html
    assert not ApiKeyToken.objects.exists()


def test_a_key_that_fails_half_way_leaves_nothing(browser, monkeypatch):
    monkeypatch.setattr("apikeys.tokens.digest", lambda text: 1 / 0)
    browser.raise_request_exception = False
    assert browser.issue().status_code == 500
    assert not ApiKey.objects.exists() and connection.in_atomic_block
