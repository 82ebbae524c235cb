"""A change counts for every request after it on the same machine, whichever process made it."""

import pytest
from cms_client import AnswerError

from tests.assertions import assert_error

pytestmark = pytest.mark.large

REQUESTS = 6  # more than the server has workers, so that each answers


@pytest.fixture
def statuses(server):
    """What a token is told now, by all workers, when it asks for a site that does not exist."""

    def statuses(token):
        with server.client(token) as client:
            return {refusal_of(client) for _ in range(REQUESTS)}

    return statuses


def refusal_of(client):
    with pytest.raises(AnswerError) as caught:
        client.contents.list(0)
    return caught.value.status, caught.value.code


VALID, UNKNOWN = {(400, "site_not_found")}, {(401, "key_unknown")}


def test_a_key_that_another_process_creates_is_valid_at_once(installation, statuses):
    token = installation.manage("create_api_key", "made elsewhere", "--scope", "Contents:read")
    assert statuses(token) == VALID


def test_a_rotation_by_another_process_counts_at_once(installation, statuses):
    first = installation.manage("create_api_key", "rotated elsewhere", "--scope", "Contents")
    assert statuses(first) == VALID
    second = installation.manage("rotate_api_key", "rotated elsewhere")
    assert statuses(first) == UNKNOWN
    assert statuses(second) == VALID
    third = installation.manage("rotate_api_key", "rotated elsewhere", "--overlap", "1h")
    assert statuses(second) == VALID
    assert statuses(third) == VALID
    fourth = installation.manage("rotate_api_key", "rotated elsewhere", "--overlap", "1h")
    assert statuses(second) == UNKNOWN
    assert statuses(third) == VALID
    assert statuses(fourth) == VALID


CHANGES = [
    ("key.revoke()", (401, "key_revoked")),
    ("key.delete()", (401, "key_unknown")),
    ("key.scopes = 'STL'; key.save()", (401, "scope_missing")),
    ("key.site_ids = '7'; key.save()", (401, "site_not_allowed")),
    ("owner.is_locked_out = True; owner.save()", (401, "key_owner_locked")),
    ("owner.is_superuser = False; owner.save()", (401, "site_not_allowed")),
    ("owner.delete()", (401, "key_unknown")),
]


def test_every_change_by_another_process_counts_at_once(installation, statuses):
    make = (
        "from apikeys.models import ApiKey; from accounts.models import Administrator;"
        "names = [f'owner {number}' for number in range(%d)];"
        "owners = [Administrator.objects.create_superuser(name) for name in names];"
        "print(*(ApiKey.objects.issue(owner.user_name, owner, scopes='Contents')[1] for owner in owners))"
    )
    tokens = installation.manage("shell", "-v", "0", "-c", make % len(CHANGES)).split()
    for token in tokens:
        assert statuses(token) == VALID
    change = "from apikeys.models import ApiKey\n" + "\n".join(
        f"key = ApiKey.objects.get(name='owner {number}'); owner = key.administrator; {code}"
        for number, (code, _) in enumerate(CHANGES)
    )
    installation.manage("shell", "-v", "0", "-c", change)
    for token, (code, expected) in zip(tokens, CHANGES, strict=True):
        assert statuses(token) == {expected}, code


def test_the_use_of_a_key_is_noted_by_the_server(installation, server, statuses):
    token = installation.manage("create_api_key", "used", "--scope", "Contents")
    look = "from apikeys.models import ApiKey; print(ApiKey.objects.get(name='used').tokens.get().last_used_at)"
    for _ in range(20):  # a note that meets another write is left to a later use
        assert statuses(token) == VALID
        if installation.manage("shell", "-v", "0", "-c", look) != "None":
            return
    pytest.fail("No use of the key was noted.")


def test_a_refusal_of_the_server_is_the_usual_one(server):
    assert_error(server.request("POST", "/api/v1/contents"), 401, "key_missing")
