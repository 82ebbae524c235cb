"""PUT /administrators/{id}: only what is sent changes; somebody of the highest rank always stays."""

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from accounts.models import Administrator
from tests.accounts.asking import ADMINISTRATORS, fields, value
from tests.accounts.test_create_administrator import IGNORED
from tests.accounts.test_update_user import ANY_JSON, PASSWORDS
from tests.assertions import assert_error
from tests.clients import ApiClient
from tests.contents.threads import at_once
from tests.factories import AdministratorFactory, ApiKeyFactory, SiteFactory

pytestmark = pytest.mark.django_db

# Wire name, column and a new value of every member that may change.
CHANGES = {
    "userName": ("user_name", "new keeper"),
    "displayName": ("display_name", "新"),
    "email": ("email", "new@example.org"),
    "mobile": ("mobile", "139"),
    "isLockedOut": ("is_locked_out", True),
    "siteIdCollection": ("site_id_collection", "1,2"),
    "siteId": ("site_id", 2),
    "departmentId": ("department_id", 3),
    "areaId": ("area_id", 4),
    "creatorUserName": ("creator_user_name", "root"),
}
NEW = {name: new for name, (_, new) in CHANGES.items()}


def address(administrator):
    return f"{ADMINISTRATORS}/{administrator.pk}"


@pytest.fixture
def keeper():
    made = AdministratorFactory(user_name="keeper", display_name="Keeper", email="keeper@example.org", mobile="138")
    made.set_password("harbour-27")
    made.save()
    return made


def test_what_a_migration_brought_may_be_sent_back(api, keeper):
    Administrator.objects.filter(pk=keeper.pk).update(user_name="tab\tname", site_id_collection="1,x")
    before, record = fields(keeper), value(api.get(address(keeper)))
    assert value(api.put(address(keeper), record)) == record
    assert fields(keeper) == before
    assert_error(api.put(address(keeper), record | {"userName": "tab\tother"}), 400, "invalid_value")


@pytest.mark.parametrize("name", CHANGES)
def test_one_member_changes_and_nothing_else(api, keeper, name):
    before, record = fields(keeper), value(api.get(address(keeper)))
    answered = value(api.put(address(keeper), {name: NEW[name]}))
    assert fields(keeper) == before | dict([CHANGES[name]])
    assert answered == record | {name: NEW[name]} == value(api.get(address(keeper)))


def test_all_members_change_at_once(api, keeper):
    before = fields(keeper)
    record = value(api.put(address(keeper), {name[0].upper() + name[1:]: new for name, new in NEW.items()}))
    assert record | NEW == record
    assert fields(keeper) == before | dict(CHANGES.values())


@pytest.mark.parametrize("body", [b"", b"{}", b'{"userName": null, "siteId": null, "isLockedOut": null}', b'{"x": 1}'])
def test_nothing_sent_changes_nothing_and_is_200(api, keeper, body):
    before = fields(keeper)
    value(api.send("PUT", address(keeper), body))
    assert fields(keeper) == before


def test_a_whole_record_may_be_sent_back(api, keeper):
    before, record = fields(keeper), value(api.get(address(keeper)))
    assert value(api.put(address(keeper), record)) == record
    assert fields(keeper) == before


def test_a_password_is_never_changed(api, keeper):
    before = fields(keeper)
    value(api.put(address(keeper), PASSWORDS))
    assert fields(keeper) == before
    keeper.refresh_from_db()
    assert keeper.check_password("harbour-27")


NAMES = [*CHANGES, *IGNORED, *PASSWORDS, *(field.attname for field in Administrator._meta.concrete_fields)]
PROTECTED = {field.attname for field in Administrator._meta.concrete_fields} - {
    column for column, _ in CHANGES.values()
}


@hypothesis_settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(body=st.dictionaries(st.sampled_from(sorted(set(NAMES))), ANY_JSON | st.sampled_from(list(NEW.values()))))
def test_no_request_sets_what_it_must_not(api, body):
    """T14 of the threats: mass assignment."""
    administrator = AdministratorFactory(is_superuser=False)
    before = fields(administrator)
    response = api.put(address(administrator), body)
    assert response.status_code in {200, 400}, response.content
    after = fields(administrator)
    sent = {name.casefold() for name in body}
    changeable = {column for name, (column, _) in CHANGES.items() if name.casefold() in sent}
    changed = {column for column in after if after[column] != before[column]}
    assert changed <= changeable and not changed & PROTECTED
    assert response.status_code == 200 or not changed
    assert not administrator.groups.exists()


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("userName", ""),
        ("userName", " x"),
        ("userName", "x" * 256),
        ("userName", 7),
        ("siteIdCollection", "1,"),
        ("siteId", "x"),
        ("isLockedOut", "yes"),
        ("isLockedOut", 1),
        ("email", "x" * 256),
        ("mobile", "x" * 51),
        ("displayName", []),
    ],
)
def test_a_wrong_value_is_400_naming_it_and_nothing_changes(api, keeper, name, wrong):
    before = fields(keeper)
    body = assert_error(api.put(address(keeper), {"areaId": 9, name: wrong}), 400, "invalid_value")
    assert body["member"] == name
    assert fields(keeper) == before


@pytest.mark.parametrize(
    ("members", "code"),
    [
        ({"userName": "ANCHOR"}, "user_name_taken"),
        ({"email": "Anchor@example.org"}, "email_taken"),
        ({"email": "anchor"}, "email_taken"),
        ({"mobile": "777"}, "mobile_taken"),
        ({"userName": "777"}, "user_name_taken"),
    ],
)
def test_what_another_has_is_400(api, keeper, members, code):
    AdministratorFactory(user_name="anchor", email="anchor@example.org", mobile="777")
    before = fields(keeper)
    assert_error(api.put(address(keeper), members), 400, code)
    assert fields(keeper) == before


def test_an_unknown_id_is_404_whatever_the_body(api):
    for body in (b"{}", b"{", b'{"userName": ""}'):
        error = assert_error(api.send("PUT", f"{ADMINISTRATORS}/4711", body), 404, "administrator_not_found")
        assert error["message"] == "Administrator 4711 was not found."


@pytest.mark.parametrize("scopes", ["Administrators:read", "Users", ""])
def test_writing_is_needed(client_with_key, keeper, scopes):
    before = fields(keeper)
    assert_error(client_with_key(scopes=scopes).put(address(keeper), {"areaId": 9}), 401, "scope_missing")
    assert fields(keeper) == before


# ---- Locks


@pytest.fixture
def root(client_with_key):
    """The only administrator of the highest rank; `client` uses a key of theirs."""
    owner = AdministratorFactory()
    owner.client = client_with_key(administrator=owner)
    return owner


def test_the_last_of_the_highest_rank_cannot_be_locked(root):
    AdministratorFactory(is_locked_out=True)  # no longer able to sign in
    AdministratorFactory(is_superuser=False)
    before = fields(root)
    for lock in (True, "True"):
        body = assert_error(
            root.client.put(address(root), {"isLockedOut": lock, "areaId": 9}), 400, "last_administrator"
        )
        assert str(root.pk) in body["message"]
    assert fields(root) == before
    assert value(root.client.put(address(root), {"isLockedOut": False, "areaId": 9}))["areaId"] == 9


def test_others_can_be_locked_and_unlocked(root):
    for other in (
        AdministratorFactory(),
        AdministratorFactory(is_superuser=False),
        AdministratorFactory(is_locked_out=True),
    ):
        assert value(root.client.put(address(other), {"isLockedOut": True}))["isLockedOut"] is True
        assert value(root.client.put(address(other), {"isLockedOut": False}))["isLockedOut"] is False


@pytest.mark.django_db(transaction=True)
def test_keys_of_an_administrator_end_with_the_lock_at_once_and_come_back():
    root, other = AdministratorFactory(), AdministratorFactory()
    client = ApiClient(ApiKeyFactory(administrator=root, scopes="Administrators").token)
    others = ApiClient(ApiKeyFactory(administrator=other, scopes="Users").token)
    assert others.get("/api/v1/users").status_code == 200
    value(client.put(address(other), {"isLockedOut": True}))
    assert_error(others.get("/api/v1/users"), 401, "key_owner_locked")
    value(client.put(address(other), {"isLockedOut": False}))
    assert others.get("/api/v1/users").status_code == 200


@pytest.mark.django_db(transaction=True)
def test_a_change_of_the_sites_counts_at_once():
    site, owner = SiteFactory(), AdministratorFactory(is_superuser=False, site_id_collection="")
    client = ApiClient(ApiKeyFactory(scopes="Administrators").token)
    limited = ApiClient(ApiKeyFactory(administrator=owner, scopes="Channels").token)
    path = f"/api/v1/channels/{site.pk}"
    assert_error(limited.get(path), 401, "site_not_allowed")
    value(client.put(address(owner), {"siteIdCollection": f"{site.pk},0"}))
    assert limited.get(path).status_code == 200
    value(client.put(address(owner), {"siteIdCollection": ""}))
    assert_error(limited.get(path), 401, "site_not_allowed")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("turn", [0, 1])
def test_of_parallel_locks_and_deletes_of_all_one_of_the_highest_rank_stays(turn):
    administrators = AdministratorFactory.create_batch(4)
    tokens = [ApiKeyFactory(administrator=each, scopes="Administrators").token for each in administrators]

    def end(number):
        """Each is ended by a key of the next."""
        client, path = ApiClient(tokens[(number + 1) % 4]), address(administrators[number % 4])
        return client.delete(path) if (number + turn) % 2 else client.put(path, {"isLockedOut": True})

    answers = at_once(None, *[lambda _, number=number: end(number) for number in range(8)])
    told = [(answer.status_code, answer.json().get("code")) for answer in answers]
    assert {status for status, _ in told} <= {200, 400, 401, 404}, told
    assert {code for status, code in told if status == 400} <= {"last_administrator"}, told
    assert Administrator.objects.get_queryset().of_highest_rank().exists()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("act", ["lock", "delete", "both"])
def test_of_two_requests_about_the_last_two_exactly_one_succeeds(act):
    first, second = AdministratorFactory.create_batch(2)
    token = ApiKeyFactory(administrator=first, scopes="Administrators").token
    # The key's own administrator may be the one that goes, so the key is known before.
    assert ApiClient(token).get(address(first)).status_code == 200

    def lock(client, who):
        return client.put(address(who), {"isLockedOut": True})

    def delete(client, who):
        return client.delete(address(who))

    one, other = {"lock": (lock, lock), "delete": (delete, delete), "both": (lock, delete)}[act]
    answers = at_once(token, lambda client: one(client, first), lambda client: other(client, second))
    codes = sorted(answer.status_code for answer in answers)
    assert codes in ([200, 400], [200, 401])  # 401: the key ended with its owner before the other request began
    assert Administrator.objects.get_queryset().of_highest_rank().count() == 1
