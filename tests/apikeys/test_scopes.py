"""What a key may do: seven scopes, each for reading or for writing too."""

from itertools import product

import pytest
from django.core.exceptions import ValidationError

from apikeys.models import ApiKey
from apikeys.scopes import READ, WRITE, Scope, format_scopes, parse_scopes
from tests.assertions import assert_error
from tests.factories import AdministratorFactory, ApiKeyFactory, ContentFactory
from tests.wire.addresses import creation, single

NAMES = [scope.value for scope in Scope]
pytestmark = pytest.mark.django_db


@pytest.mark.urls("tests.wire.probes")
@pytest.mark.parametrize(("granted", "access"), list(product(NAMES, ["read", "write"])))
def test_a_scope_opens_itself_and_nothing_else(client_with_key, granted, access):
    client = client_with_key(scopes=f"{granted}:{access}")
    for name, method in product(NAMES, ["GET", "POST", "PUT", "DELETE"]):
        response = client.send(method, f"/api/v1/probe/scope/{name}")
        if name == granted and (access == "write" or method == "GET"):
            assert response.status_code == 200, (name, method)
        else:
            needed = f"{name}:{'read' if method == 'GET' else 'write'}"
            body = assert_error(response, 401, "scope_missing")
            assert body["scope"] == needed
            assert needed in body["message"]


@pytest.mark.urls("tests.wire.probes")
@pytest.mark.parametrize("name", NAMES)
def test_a_view_can_declare_that_a_post_reads(client_with_key, name):
    client = client_with_key(scopes=f"{name}:read")
    assert client.post(f"/api/v1/probe/search/{name}").status_code == 200
    assert_error(client.put(f"/api/v1/probe/search/{name}"), 401, "scope_missing")


@pytest.mark.urls("tests.wire.probes")
@pytest.mark.parametrize("name", NAMES)
def test_a_new_key_opens_nothing(client_with_key, name):
    assert_error(client_with_key(scopes="").get(f"/api/v1/probe/scope/{name}"), 401, "scope_missing")


def calls(content):
    """The endpoints of contents: (access that is needed, method, path, body)."""
    check = {"siteId": content.site_id, "contents": []}
    return [
        (READ, "POST", "/api/v1/contents", {"siteId": content.site_id}),
        (READ, "GET", single(content), None),
        (WRITE, "POST", creation(content.channel), {"title": "Launch"}),
        (WRITE, "PUT", single(content), {"title": "Launch"}),
        (WRITE, "POST", "/api/v1/contents/check", check),
        (WRITE, "POST", "/api/v1/contents/actions/check", check),
        (WRITE, "DELETE", single(content), None),
    ]


@pytest.mark.parametrize("access", [READ, WRITE])
def test_listing_and_getting_contents_are_reads_and_all_else_is_writing(client_with_key, access):
    client = client_with_key(scopes=f"Contents:{access}")
    for needed, method, path, body in calls(ContentFactory()):
        response = client._send(method, path, body)
        if access == WRITE or needed == READ:
            assert response.status_code == 200, (method, path)
        else:
            assert assert_error(response, 401, "scope_missing")["scope"] == "Contents:write"


PARSED = [
    ("", {}),
    (" , ", {}),
    ("Contents", {Scope.CONTENTS: WRITE}),
    ("contents:READ", {Scope.CONTENTS: READ}),
    ("Contents:read,STL:write", {Scope.CONTENTS: READ, Scope.STL: WRITE}),
    (" SQL:read ", {Scope.SQL: READ}),
    ("Contents:read,Contents", {Scope.CONTENTS: WRITE}),
    ("Contents,Contents:read", {Scope.CONTENTS: WRITE}),
    ("Contents:", {Scope.CONTENTS: WRITE}),
]


@pytest.mark.parametrize(("text", "scopes"), PARSED)
def test_scopes_are_read_from_text(text, scopes):
    assert parse_scopes(text) == scopes
    assert parse_scopes(format_scopes(scopes)) == scopes


@pytest.mark.parametrize(
    "text", ["Content", "Contents:all", "*", "Contents:read:write", "Contents read", "contents/read"]
)
def test_an_unknown_scope_is_refused_and_the_known_ones_are_named(text):
    with pytest.raises(
        ValidationError, match="Channels, Contents, Media, Forms, Administrators, Users, STL, SQL, System"
    ):
        ApiKey.objects.issue("robot", AdministratorFactory(), scopes=text)
    assert not ApiKey.objects.exists()


@pytest.mark.parametrize("name", ["Administrators", "Users", "System"])
def test_a_key_limited_to_sites_cannot_have_what_belongs_to_no_site(name):
    with pytest.raises(ValidationError, match=f"cannot have the scope {name}"):
        ApiKeyFactory(scopes=f"Contents,{name}:read", site_ids="1")


@pytest.mark.parametrize("name", ["Administrators", "Users", "System"])
def test_a_key_of_an_owner_below_the_highest_rank_cannot_have_what_belongs_to_no_site(name):
    owner = AdministratorFactory(is_superuser=False)
    with pytest.raises(ValidationError, match=f"owner is a superuser can have the scope {name}"):
        ApiKeyFactory(scopes=f"{name}:read", administrator=owner)


@pytest.mark.parametrize("name", ["Channels", "Contents", "Media", "Forms", "STL", "SQL"])
def test_a_key_limited_to_sites_can_have_what_belongs_to_sites(name):
    assert ApiKeyFactory(scopes=name, site_ids="1").token
    assert ApiKeyFactory(scopes=name, administrator=AdministratorFactory(is_superuser=False)).token
