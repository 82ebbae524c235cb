"""Keys of SiteServer: the two texts of a migrated key open what it may do, until they end."""

import json
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command

from apikeys import tokens
from apikeys.models import ApiKey, LegacyToken
from core.audit.models import AuditEntry
from core.lib import clock
from tests.accounts.signing_in import nothing_counted  # noqa: F401
from tests.apikeys.key_pages import LIST, Browser, place, shown_token
from tests.assertions import assert_error
from tests.clients import ApiClient
from tests.factories import AdministratorFactory, ApiKeyFactory, ContentFactory
from tests.wire.addresses import single

# Changes count when they are committed, so these tests commit.
pytestmark = pytest.mark.django_db(transaction=True)

GUID = "6f9619ff-8b86-4d01-b42d-00cf4fc964ff"
ENCRYPTED = "NfgC0add0LkDUIgdzcZdcpHZ1PmmTuDlu0gcMJE0HgDcfyvENLS6k5WsqA0equals00equals00secret0"
BOTH = pytest.mark.parametrize("text", [GUID, ENCRYPTED])


@pytest.fixture
def key():
    digests = [tokens.digest(GUID), tokens.digest(ENCRYPTED)]
    return ApiKey.objects.adopt("portal", AdministratorFactory(), digests, scopes="Contents")


@pytest.fixture
def path():
    return single(ContentFactory())


def opens(text, path):
    return ApiClient(text).get(path).status_code == 200


def refusal(text, path):
    return assert_error(ApiClient(text).get(path), 401)["code"]


def test_the_stored_digests_are_those_of_the_two_texts():
    assert tokens.digest(GUID) == "46bba93296e0a7d87919b19a97d6d6bcdec4147dc7d22f96cce01563d3962886"
    assert tokens.digest(ENCRYPTED) == "4cf86f58fb875f73bff6dc73d911cdbb59fc801ec910370f92c5a9b62a6c6a09"


@BOTH
def test_an_original_key_opens_what_the_key_may_do_and_no_more(key, stranger, path, text):
    assert opens(text, path)
    assert stranger.get(f"{path}?apiKey={text}").status_code == 200
    assert ApiClient(text).put(path, {"title": "Changed"}).status_code == 200
    site_id = path.split("/")[4]
    assert_error(ApiClient(text).get(f"/api/v1/channels/{site_id}"), 401, "scope_missing")


@pytest.mark.parametrize(
    "text", [GUID.upper(), f"{{{GUID}}}", GUID[:-1], GUID.replace("-", ""), "x" * 193 + "0secret0"]
)
def test_another_spelling_is_unknown(key, path, text):
    assert refusal(text, path) == "key_unknown"


def test_a_text_of_no_known_form_asks_the_database_nothing(key, path, django_assert_num_queries):
    with django_assert_num_queries(0):
        assert refusal("nonsense", path) == refusal("x" * 193 + "0secret0", path) == "key_unknown"


def test_it_ends_after_the_days_of_the_setting(settings, monkeypatch, path):
    settings.CMS_LEGACY_KEY_DAYS = 2
    started = clock.now()
    ApiKey.objects.adopt("portal", AdministratorFactory(), [tokens.digest(GUID)], scopes="Contents")
    for passed, code in ((timedelta(days=2, seconds=-5), None), (timedelta(days=2, seconds=5), "key_expired")):
        monkeypatch.setattr(clock, "now", lambda passed=passed: started + passed)
        assert opens(GUID, path) if code is None else refusal(GUID, path) == code


def test_an_earlier_end_of_the_key_counts(key, monkeypatch, path):
    key.change({"expires_at": clock.now() + timedelta(days=1)})
    assert opens(GUID, path)
    later = clock.now() + timedelta(days=1)
    monkeypatch.setattr(clock, "now", lambda: later)
    assert refusal(GUID, path) == "key_expired"


@pytest.mark.parametrize(
    ("do", "code"),
    [
        (lambda key: key.revoke(), "key_revoked"),
        (lambda key: key.reset(), "key_unknown"),
        (lambda key: key.rotate(timedelta(0)), "key_unknown"),
        (lambda key: key.end_legacy(), "key_unknown"),
        (lambda key: key.delete(), "key_unknown"),
    ],
    ids=["revoke", "reset", "rotate", "end", "delete"],
)
def test_it_ends_at_once_with_what_is_done_to_the_key(key, path, do, code):
    assert opens(GUID, path) and opens(ENCRYPTED, path)
    do(key)
    assert refusal(GUID, path) == refusal(ENCRYPTED, path) == code


def test_a_rotation_with_an_overlap_leaves_it(key, path):
    token = key.rotate(timedelta(hours=1))
    assert opens(token, path) and opens(GUID, path)


def test_its_use_is_recorded_apart_from_tokens_with_the_same_number(key, path):
    other = ApiKeyFactory()
    legacy = LegacyToken.objects.get(digest=tokens.digest(GUID))
    other.tokens.update(id=legacy.pk)
    assert opens(other.token, path) and opens(GUID, path)
    legacy.refresh_from_db()
    assert legacy.last_used_at is not None
    other.tokens.update(last_used_at=None)
    assert LegacyToken.objects.get(digest=tokens.digest(ENCRYPTED)).last_used_at is None


def test_the_audit_names_the_key(key, path):
    assert ApiClient(GUID).delete(path).status_code == 200
    entry = AuditEntry.objects.latest("id")
    assert (entry.action, entry.actor_kind, entry.key_id, entry.key_name) == (
        "content.trashed",
        "key",
        key.pk,
        "portal",
    )


def test_it_shares_the_limit_of_the_key(key, path):
    key.change({"requests_per_minute": 1})
    assert opens(GUID, path)
    assert_error(ApiClient(ENCRYPTED).get(path), 429, "rate_limited")


def test_the_page_shows_its_last_use_and_ends_it(key, path):
    browser = Browser()
    page = browser.get(place("change", key)).content.decode()
    assert "A key of the original system is still accepted. It was never used here; it ends at" in page
    assert "What may this key do?" in page and "The key has no token" not in page
    assert opens(ENCRYPTED, path)
    page = browser.get(place("change", key)).content.decode()
    assert "still accepted. It was last used at" in page and place("end_legacy", key) in page
    assert browser.get(place("operations", key)).context["operations"]
    assert browser.act("end_legacy", key).status_code == 302
    assert refusal(GUID, path) == "key_unknown"
    assert AuditEntry.objects.latest("id").action == "api_key.legacy_ended"
    assert "original system" not in browser.get(place("change", key)).content.decode()


def test_the_page_rotates_it_to_a_token_of_our_own(key, path):
    browser = Browser()
    assert opens(shown_token(browser.act("rotate", key)), path)
    assert "still accepted" in browser.get(place("change", key)).content.decode()


def test_lists_show_the_last_use(key, path):
    assert opens(GUID, path)
    used = LegacyToken.objects.get(digest=tokens.digest(GUID)).last_used_at
    assert f"{used:%Y-%m-%d}" in Browser().get(LIST).content.decode()
    out = StringIO()
    call_command("list_api_keys", "--json", stdout=out)
    (record,) = json.loads(out.getvalue())
    assert (record["publicPart"], record["originalLastUse"]) == (None, str(used))
    assert record["originalEnds"] == str(LegacyToken.objects.latest("id").ends_at)


def test_it_stays_ended_when_clocks_go_back(settings, autumn, path):
    settings.CMS_LEGACY_KEY_DAYS = 1
    autumn("02:30")
    ApiKey.objects.adopt("portal", AdministratorFactory(), [tokens.digest(GUID)], scopes="Contents")
    LegacyToken.objects.update(ends_at=clock.steady())
    for minute, fold in (("02:40", 0), ("02:10", 1)):
        autumn(minute, fold)
        assert refusal(GUID, path) == "key_expired"
        assert not LegacyToken.objects.accepted()
