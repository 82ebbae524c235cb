"""API keys of SiteServer, which unchanged clients go on sending."""

import json

import pytest

from accounts.models import Administrator
from apikeys import tokens
from apikeys.models import ApiKey, LegacyToken
from core.audit.models import AuditEntry
from migration.keys import migrate_keys
from migration.models import MigratedRecord
from migration.people.administrators import migrate_administrators
from migration.people.roles import migrate_roles
from tests.assertions import assert_error
from tests.clients import ApiClient
from tests.factories import AdministratorFactory, ApiKeyFactory, ContentFactory
from tests.migration.installations.encryption import SECRET_KEY, encrypted_token
from tests.migration.people.moving import administrator
from tests.wire.addresses import single

GUID = "6f9619ff-8b86-4d01-b42d-00cf4fc964ff"
OTHER = "0b8f5c52-7f0e-4c0a-9d3f-2a6c1de0a111"
STEPS = (migrate_administrators, migrate_roles, migrate_keys)
ASKED = {"with_keys": True, "secret_key": SECRET_KEY}


def key(number=1, guid=GUID, **columns):
    own = {"Id": number, "Title": "门户网站", "Token": encrypted_token(guid), "AdminName": "Admin"}
    return own | {"Scopes": "Channels,Contents,stl", "RateLimit": 0} | columns


@pytest.fixture(autouse=True)
def nothing_remembered(monkeypatch):
    """Tests have texts of keys in common, and do not commit."""
    monkeypatch.setattr("apikeys.grants._remembered", {})


@pytest.fixture
def moving(migration):
    """A migration of keys, of which an administrator of the highest rank owns the first."""

    def make(*keys):
        return migration(
            Administrator=[administrator(1001, "admin"), administrator(1002, "editor")],
            AdministratorsInRoles=[{"Id": 1, "RoleName": "ConsoleAdministrator", "UserName": "admin"}],
            AccessToken=list(keys),
        )

    return make


@pytest.mark.parametrize("text", [GUID, encrypted_token(GUID)])
def test_an_unchanged_client_does_what_it_did_and_no_more(moving, stranger, text):
    path = single(ContentFactory())
    done = moving(key()).run(*STEPS, **ASKED)
    assert done.outcomes("API keys") == {"new": 1}
    found = ApiKey.objects.get()
    assert (found.name, found.administrator.user_name) == ("门户网站", "admin")
    assert found.scopes == "Channels:write,Contents:write,STL:write"
    assert ApiClient(text).put(path, {"title": "Changed"}).json()["value"]["title"] == "Changed"
    assert stranger.get(f"{path}?apiKey={text}").status_code == 200
    assert_error(ApiClient(text).get("/api/v1/users"), 401, "scope_missing")


def test_keys_are_carried_over_only_if_asked_for_and_readable(moving):
    rows = [key(), key(2, Title="damaged", Token="abc0secret0"), key(3, OTHER, Title="no owner", AdminName="gone")]
    again = moving(*rows)
    for options, problem in (
        ({}, "keys were not asked for"),
        ({"with_keys": True}, "secret key of the installation is not known"),
        ({"with_keys": True, "secret_key": "another key"}, "cannot decrypt it"),
    ):
        done = again.run(*STEPS, **options)
        assert done.places(problem)[0] == "门户网站: Channels,Contents,stl; Admin"
        assert not ApiKey.objects.exists()
    done = again.run(*STEPS, **ASKED)
    assert done.outcomes("API keys") == {"new": 1, "left out": 2}
    assert done.places("cannot decrypt it") == ["damaged: Channels,Contents,stl; Admin"]
    assert done.places("it has no owner") == ["no owner: Channels,Contents,stl; gone"]


def test_a_key_without_an_owner_belongs_to_the_one_of_the_command(moving):
    owner = AdministratorFactory(user_name="Keeper")
    moving(key(AdminName=None)).run(*STEPS, **ASKED, owner="keeper")
    assert ApiKey.objects.get().administrator == owner


@pytest.mark.parametrize("name", [None, "", " ", "\u200b"])
def test_a_key_without_an_owner_is_not_that_of_an_administrator_without_a_name(migration, name):
    moving = migration(
        Administrator=[administrator(1001, "admin"), administrator(1002, name or "")],
        AdministratorsInRoles=[{"Id": 1, "RoleName": "ConsoleAdministrator", "UserName": name}],
        AccessToken=[key(AdminName=name)],
    )
    done = moving.run(*STEPS, **ASKED)
    assert not ApiKey.objects.exists() and not Administrator.objects.filter(is_superuser=True).exists()
    assert done.places("it has no owner") == [f"门户网站: Channels,Contents,stl; {name or ''}"]


def test_scopes_outside_sites_need_a_superuser(moving):
    rows = [key(1, Scopes="Users,Administrators,Others"), key(2, OTHER, Scopes="users, STL", AdminName="editor")]
    done = moving(*rows).run(*STEPS, **ASKED)
    scopes = list(ApiKey.objects.order_by("pk").values_list("scopes", flat=True))
    assert scopes == ["Administrators:write,Users:write", "STL:write"]
    assert done.places("scope of an API key has no counterpart") == ["门户网站: Others"]
    assert done.places("needs a superuser") == ["门户网站: users"]
    assert done.places("reaches no site") == ["门户网站: editor"]


def test_names_are_unique_and_one_token_makes_one_key(moving):
    ApiKeyFactory(name="门户网站")
    done = moving(key(5), key(6, OTHER), key(7)).run(*STEPS, **ASKED)
    assert list(ApiKey.objects.order_by("pk").values_list("name", flat=True))[1:] == ["门户网站-5", "门户网站-6"]
    assert done.places("same token") == ["门户网站: Channels,Contents,stl; Admin"]


def test_no_text_of_a_key_is_stored_or_reported(moving):
    done = moving(key(), key(2, OTHER, AdminName="gone")).run(*STEPS, **ASKED)
    everything = "".join(path.read_text() for path in done.folder.iterdir()) + repr(done.report.findings)
    for model in (ApiKey, LegacyToken, MigratedRecord, AuditEntry):
        everything += json.dumps(list(model.objects.values()), default=str)
    assert GUID not in everything and OTHER not in everything
    assert encrypted_token(GUID)[:20] not in everything and SECRET_KEY not in everything
    assert LegacyToken.objects.filter(digest=tokens.digest(GUID)).exists()


# ---- Later runs


def test_a_second_run_makes_no_second_key(moving):
    again = moving(key()).run(*STEPS, **ASKED)
    assert again.run(*STEPS, **ASKED).outcomes("API keys") == {"unchanged": 1}
    assert (ApiKey.objects.count(), LegacyToken.objects.count()) == (1, 2)


def test_a_changed_key_changes_its_scopes_and_token(moving):
    again = moving(key()).run(*STEPS, **ASKED)
    ends_at = LegacyToken.objects.first().ends_at
    again.row("AccessToken", 1).update(Scopes="Contents", Token=encrypted_token(OTHER))
    assert again.run(*STEPS, **ASKED).outcomes("API keys") == {"updated": 1}
    assert ApiKey.objects.get().scopes == "Contents:write"
    digests = {tokens.digest(OTHER), tokens.digest(encrypted_token(OTHER))}
    assert set(LegacyToken.objects.values_list("digest", flat=True)) == digests
    assert LegacyToken.objects.first().ends_at >= ends_at


@pytest.mark.parametrize(
    ("act", "outcome", "code"),
    [
        (lambda found: found.revoke(), "unchanged", "key_revoked"),
        (lambda found: found.end_legacy(), "updated", "key_unknown"),
        (lambda found: found.delete(), "left out", "key_unknown"),
    ],
    ids=["revoke", "end", "delete"],
)
def test_a_key_that_was_ended_here_stays_so(moving, act, outcome, code):
    again = moving(key()).run(*STEPS, **ASKED)
    act(ApiKey.objects.get())
    again.row("AccessToken", 1).update(Scopes="Contents")
    assert again.run(*STEPS, **ASKED).outcomes("API keys") == {outcome: 1}
    assert_error(ApiClient(GUID).get("/api/v1/contents/1/1/1"), 401, code)
