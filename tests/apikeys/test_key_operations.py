"""What a page says that a key may do is what the API lets it do."""

import re
from itertools import product

import pytest

from apikeys.key_overview import allowed_operations, may_call, reasons, usable_grant, with_access_token
from apikeys.models import ApiKey
from apikeys.scopes import Scope
from core.lib import clock
from core.lib.registrations import SUMMARIES
from core.rest.operations import operations
from tests.accounts.signing_in import nothing_counted  # noqa: F401
from tests.apikeys.key_pages import Browser, place
from tests.cases import each_once
from tests.clients import ApiClient
from tests.factories import AdministratorFactory, ApiKeyFactory, SiteFactory
from tests.wire.test_open_endpoints import OPEN, endpoints

pytestmark = pytest.mark.django_db
SCOPES = [f"{scope.value}:{access}" for scope, access in product(Scope, ("read", "write"))]
MISSING = "999999999"
# By rank: the fields of the owner, and whether the owner reaches the first site.
OWNERS = {
    "highest": lambda site: {},
    "of a site": lambda site: {"is_superuser": False, "site_id_collection": str(site.pk)},
    "ordinary": lambda site: {"is_superuser": False},
}
LIMITS = {"every site": lambda site: "", "one site": lambda site: str(site.pk)}


def ask(token, operation, site):
    """The status of a call that leads to nothing once it is allowed; the site stands wherever it is looked for."""
    path = operation.path.replace("{siteId}", str(site.pk))
    path = re.sub(r"{\w+}", MISSING, path)
    body = {"siteId": site.pk} if operation.method == "POST" else None
    query = {"siteId": str(site.pk), "queryString": "SELECT 1 AS One"}
    return ApiClient(token)._send(operation.method, f"/api/v1{path}", body, query_params=query).status_code


@pytest.fixture
def no_restart(monkeypatch):
    monkeypatch.setattr("core.operation.views.is_possible", lambda: True)


def kinds():
    """One operation for each way in which a view may decide: by scope, by reading or writing, by where the site is."""
    found = {}
    for each in operations():
        if each.needs_key:
            way = (each.scope, each.is_read, each.owner_is_enough, each.path.split("/")[1], "{siteId}" in each.path)
            found.setdefault(way, each)
    return list(found.values())


@each_once(
    ("rank", ["of a site", "highest", "ordinary"]),
    ("limit", ["one site", "every site"]),
)
def test_the_page_agrees_with_the_api(no_restart, rank, limit):
    site, other = SiteFactory(), SiteFactory()
    owner = AdministratorFactory(**OWNERS[rank](site))
    allowed = 0
    for scopes in [*SCOPES, ""]:
        key = ApiKeyFactory(administrator=owner, scopes="")
        # As it may be stored: a key is older than its owner's present rank.
        ApiKey.objects.filter(pk=key.pk).update(scopes=scopes, site_ids=LIMITS[limit](site))
        key.refresh_from_db()
        grant = usable_grant(key)
        for operation, place_ in product(kinds(), (site, other)):
            answer = ask(key.token, operation, place_)
            said = may_call(grant, operation, place_.pk)
            assert (answer != 401) == said, (scopes, operation, place_, answer)
            allowed += said
    assert allowed


def test_every_operation_is_open_to_a_key_of_its_scope_alone(no_restart):
    site, owner = SiteFactory(), AdministratorFactory()
    keys = {scopes: ApiKeyFactory(administrator=owner, scopes=scopes).token for scopes in ("", *SCOPES)}
    of_scopes = [operation for operation in operations() if operation.needs_key and operation.scope]
    assert {operation.scope for operation in of_scopes} == {scope.partition(":")[0] for scope in SCOPES}
    for operation in of_scopes:
        access = "read" if operation.is_read else "write"
        assert ask(keys[f"{operation.scope}:{access}"], operation, site) != 401, operation
        assert ask(keys[""], operation, site) == 401, operation
        if not operation.is_read:
            assert ask(keys[f"{operation.scope}:read"], operation, site) == 401, operation


def test_every_operation_is_known_and_explained():
    found = {(each.method, each.path) for each in operations()}
    assert len(found) == len(set(endpoints()))
    assert {each.original for each in operations()} == set(SUMMARIES.entries)
    assert {each.path for each in operations() if not each.needs_key} == {
        re.sub(r"<(?:id:)?(?:\w+_)?(\w+)>", r"{\1}", path.removeprefix("api/v1")) for _, path in OPEN
    }


STATES = {
    "key_revoked": ({"revoked_at": "2026-01-01 00:00:00"}, "has been revoked"),
    "key_expired": ({"expires_at": "2026-01-01 00:00:00"}, "has expired"),
}


@pytest.mark.parametrize(("fields", "words"), STATES.values(), ids=STATES)
def test_a_key_that_is_refused_may_do_nothing_and_the_reason_is_told(fields, words):
    key = ApiKeyFactory()
    ApiKey.objects.filter(pk=key.pk).update(**fields)
    page = Browser().get(place("operations", key)).content.decode()
    assert words in page and "<td>Contents</td>" not in page
    assert ApiClient(key.token).get("/api/v1/contents/1/1/1").status_code == 401


REASONS = [
    ({"scopes": ""}, {}, "The key has no scope."),
    ({}, {"is_superuser": False}, "The key cannot access any site"),
    ({}, {"is_locked_out": True}, "The owner is locked."),
    ({"scopes": "Users:read"}, {"is_superuser": False}, "out of reach"),
]


@pytest.mark.parametrize(("fields", "owner", "words"), REASONS)
def test_why_a_key_may_do_less_than_one_thinks(fields, owner, words):
    key = ApiKeyFactory(scopes="Contents:write")
    ApiKey.objects.filter(pk=key.pk).update(administrator=AdministratorFactory(**owner), **fields)
    key.refresh_from_db()
    told = " ".join(map(str, reasons(key)))
    assert words in told
    assert words in Browser().get(place("operations", key)).content.decode()


def test_a_key_without_tokens_is_told_as_such():
    key = ApiKeyFactory()
    key.tokens.all().delete()
    assert [str(reason) for reason in reasons(key)] == ["The key has no token; reset it."]
    assert usable_grant(key) is None


def test_a_page_names_operations_and_sites():
    site = SiteFactory(site_name="Harbour")
    key = ApiKeyFactory(scopes="Contents:read", site_ids=str(site.pk))
    page = Browser().get(place("operations", key)).content.decode()
    assert f"Harbour ({site.pk})" in page
    assert "GET /api/v1/contents/{siteId}/{channelId}/{id}" in page
    assert "DELETE /api/v1/contents/{siteId}/{channelId}/{id}" not in page
    assert "GET /api/v1/users/{id}" in page  # with the token of that user


def test_what_needs_the_token_of_a_user_is_told_apart():
    grant = usable_grant(ApiKeyFactory(scopes="Users:read"))
    alone = {(each.method, each.path) for each in allowed_operations(grant)}
    together = {(each.method, each.path) for each in with_access_token(grant)}
    assert ("GET", "/users/{id}") in alone and ("PUT", "/users/{id}") in together
    assert not alone & together


def test_a_key_ends_with_the_second_of_its_expiry():
    assert usable_grant(ApiKeyFactory(expires_at=clock.now())) is None
