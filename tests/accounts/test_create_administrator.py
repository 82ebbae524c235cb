"""POST /administrators: a new administrator of ordinary rank."""

import json
from datetime import datetime

import pytest

from accounts.models import Administrator
from apikeys.models import ApiKey
from tests.accounts.asking import ADMINISTRATORS, PASSWORD, value
from tests.accounts.texts import ODD
from tests.assertions import assert_error
from tests.contents.threads import at_once
from tests.factories import AdministratorFactory, ApiKeyFactory, UserFactory

pytestmark = pytest.mark.django_db

TEXTS = {"creatorUserName": 255, "displayName": 255, "email": 255, "mobile": 50}
NUMBERS = ("siteId", "departmentId", "areaId")


def new(**members):
    return {"userName": "keeper", "password": PASSWORD} | members


def create(client, **members):
    return client.post(ADMINISTRATORS, new(**members))


def made():
    return Administrator.objects.get(user_name__iexact="keeper")


def test_answers_the_whole_record(api):
    before = datetime.now().replace(microsecond=0)
    record = value(create(api, displayName="看守", email="keeper@example.org", mobile="138"))
    administrator = made()
    assert before <= administrator.creation_date <= datetime.now()
    now = administrator.creation_date.isoformat(" ")
    expected = {
        "id": administrator.pk,
        "userName": "keeper",
        "password": record["password"],
        "passwordFormat": "Encrypted",
        "passwordSalt": record["passwordSalt"],
        "creationDate": now,
        "lastActivityDate": now,
        "countOfLogin": 0,
        "countOfFailedLogin": 0,
        "creatorUserName": ApiKey.objects.get().administrator.user_name,
        "isLockedOut": False,
        "siteIdCollection": "",
        "siteId": 0,
        "departmentId": 0,
        "areaId": 0,
        "displayName": "看守",
        "email": "keeper@example.org",
        "mobile": "138",
    }
    assert list(record.items()) == list(expected.items())
    assert (len(record["password"]), len(record["passwordSalt"])) == (44, 24)
    assert administrator.last_change_password_date == administrator.creation_date
    assert value(api.get(f"{ADMINISTRATORS}/{administrator.pk}")) == record


def test_every_member_that_may_be_set_is_stored(api):
    members = {
        "DisplayName": "看守",
        "email": "keeper@example.org",
        "Mobile": " 138 ",
        "isLockedOut": "True",
        "siteIdCollection": "1, 436",
        "siteId": "436",
        "departmentId": 2,
        "AreaId": 3.0,
        "creatorUserName": "root",
        "passwordFormat": "clear",
    }
    record = value(create(api, **members))
    wanted = {"displayName": "看守", "mobile": "138", "isLockedOut": True, "siteIdCollection": "1, 436", "siteId": 436}
    wanted |= {"departmentId": 2, "areaId": 3, "creatorUserName": "root", "passwordFormat": "Encrypted"}
    assert record | wanted == record
    assert made().check_password(PASSWORD)


IGNORED = {
    "id": 4711,
    "isSuperuser": True,
    "is_superuser": True,
    "is_staff": True,
    "isStaff": True,
    "groups": [1],
    "userPermissions": [1],
    "user_permissions": [1],
    "roles": ["ConsoleAdministrator"],
    "lastLogin": "2001-01-01",
    "last_login": "2001-01-01",
    "passwordSalt": "x",
    "passwordStamp": "x",
    "password_stamp": "x",
    "creationDate": "2001-01-01",
    "lastActivityDate": "2001-01-01",
    "lastChangePasswordDate": "2001-01-01",
    "countOfLogin": 99,
    "countOfFailedLogin": 99,
    "is_locked_out": True,
    "site_id_collection": "1",
    "avatarUrl": "x",
    "locked": True,
    "custom": 1,
}


def test_nobody_gets_a_rank_or_whatever_else_is_not_theirs_to_set(api):
    value(api.post(ADMINISTRATORS, IGNORED | new()))
    administrator = made()
    assert administrator.pk != 4711
    assert not administrator.is_superuser
    assert not administrator.groups.exists() and not administrator.user_permissions.exists()
    assert administrator.last_login is None and administrator.creation_date.year > 2001
    assert (administrator.count_of_login, administrator.is_locked_out, administrator.site_id_collection) == (
        0,
        False,
        "",
    )


@pytest.mark.parametrize("missing", ["userName", "password"])
def test_name_and_password_are_required(api, missing):
    body = {name: text for name, text in new().items() if name != missing}
    assert assert_error(api.post(ADMINISTRATORS, body), 400, "missing_member")["member"] == missing


@pytest.mark.parametrize("weak", ["", "abc12", "abcdef", "123456"])
def test_a_weak_password_is_400(api, weak):
    assert_error(create(api, password=weak), 400, "password_too_weak")
    assert not Administrator.objects.filter(user_name="keeper").exists()


@pytest.mark.parametrize("wrong", ["", "Plain", 7])
def test_an_unknown_format_of_a_password_is_400(api, wrong):
    assert assert_error(create(api, passwordFormat=wrong), 400, "invalid_value")["member"] == "passwordFormat"


@pytest.mark.parametrize("name", ["a", "Keeper of the light", "看守", "🚢", "o'neill:<x>", "x" * 255])
def test_a_name_may_have_blanks_and_signs(api, name):
    assert value(create(api, userName=name))["userName"] == name


@pytest.mark.parametrize("wrong", ["", " ", " keeper", "keeper ", "\u3000keeper", "a\tb", "a\nb", "a\x7fb", "x" * 256])
def test_a_name_is_not_blank_and_has_no_control_characters(api, wrong):
    assert assert_error(create(api, userName=wrong), 400, "invalid_value")["member"] == "userName"


@pytest.mark.parametrize("ids", ["", "1", "1,436", " 1 , 436 ", "0", "9" * 18])
def test_the_sites_are_ids_joined_by_commas(api, ids):
    assert value(create(api, siteIdCollection=ids))["siteIdCollection"] == ids


@pytest.mark.parametrize(
    "wrong", [",", "1,", ",1", "1,,2", "1;2", "a", "-1", "1.5", "²", "１", "9" * 5000, 1, [1], "1\x00"]
)
def test_other_sites_are_400(api, wrong):
    response = api.send("POST", ADMINISTRATORS, json.dumps(new(siteIdCollection=wrong)).encode())
    assert_error(response, 400, "invalid_value")
    assert not Administrator.objects.filter(user_name="keeper").exists()


@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_of_more_than_64_bits_or_of_another_type_is_400(api, name):
    for wrong in (2**63, "x", "", 1.5, True, [], {}):
        assert_error(create(api, **{name: wrong}), 400, "invalid_value")


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_has_a_type_and_a_length(api, name):
    for wrong in (7, True, [], {}, "x" * (TEXTS[name] + 1)):
        assert assert_error(create(api, **{name: wrong}), 400, "invalid_value")["member"] == name
    assert value(create(api, **{name: "x" * TEXTS[name]}))[name] == "x" * TEXTS[name]


@pytest.mark.parametrize("text", ODD)
def test_any_text_comes_back_as_it_was_sent(api, text):
    record = value(create(api, creatorUserName=text, displayName=text))
    assert (record["creatorUserName"], record["displayName"]) == (text, text or "keeper")


def test_a_member_in_two_spellings_is_400(api):
    assert_error(create(api, UserName="keeper"), 400, "duplicate_member")


TAKEN = [
    ({"userName": "ANCHOR"}, "userName", "user_name_taken"),
    ({"userName": "Anchor@example.org"}, "userName", "user_name_taken"),
    ({"userName": "138"}, "userName", "user_name_taken"),
    ({"email": "ANCHOR@example.org"}, "email", "email_taken"),
    ({"email": "anchor"}, "email", "email_taken"),
    ({"mobile": "138"}, "mobile", "mobile_taken"),
    ({"mobile": "anchor"}, "mobile", "mobile_taken"),
    # In the order of the original.
    ({"userName": "anchor", "password": "weak", "mobile": "138"}, "userName", "user_name_taken"),
    ({"password": "weak", "mobile": "138", "email": "anchor@example.org"}, "password", "password_too_weak"),
    ({"mobile": "138", "email": "anchor@example.org"}, "mobile", "mobile_taken"),
]


@pytest.mark.parametrize(("members", "member", "code"), TAKEN)
def test_what_another_administrator_has_is_400(api, members, member, code):
    AdministratorFactory(user_name="anchor", email="anchor@example.org", mobile="138")
    assert assert_error(create(api, **members), 400, code)["member"] == member
    assert Administrator.objects.count() == 2


def test_what_a_user_has_is_free(api):
    UserFactory(user_name="keeper", email="keeper@example.org", mobile="138")
    value(create(api, email="keeper@example.org", mobile="138"))


@pytest.mark.parametrize("scopes", ["Administrators:read", "Users", ""])
def test_writing_is_needed(client_with_key, scopes):
    body = assert_error(create(client_with_key(scopes=scopes)), 401, "scope_missing")
    assert body["scope"] == "Administrators:write"
    assert not Administrator.objects.filter(user_name="keeper").exists()


@pytest.mark.django_db(transaction=True)
def test_of_parallel_creates_of_one_name_exactly_one_succeeds():
    token = ApiKeyFactory(scopes="Administrators").token
    spellings = ["Keeper", "keeper", "KEEPER", "kEEPER"] * 3
    answers = at_once(token, *[lambda client, name=name: create(client, userName=name) for name in spellings])
    assert sorted(answer.status_code for answer in answers) == [200] + [400] * 11
    assert {answer.json().get("code") for answer in answers} == {None, "user_name_taken"}


@pytest.mark.django_db(transaction=True)
def test_of_parallel_creates_of_one_mobile_exactly_one_succeeds():
    token = ApiKeyFactory(scopes="Administrators").token
    acts = [lambda client, n=n: create(client, userName=f"keeper{n}", mobile="138") for n in range(8)]
    answers = at_once(token, *acts)
    assert sorted(answer.status_code for answer in answers) == [200] + [400] * 7
    assert {answer.json().get("code") for answer in answers} == {None, "mobile_taken"}
