"""GET /administrators: every administrator, with every member of the interface; filters; pages."""

from datetime import datetime
from urllib.parse import quote

import pytest

from accounts.models import Administrator
from accounts.records import placeholder_credentials
from tests.accounts.asking import ADMINISTRATORS, listed, names
from tests.assertions import assert_error
from tests.factories import AdministratorFactory, UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def api(client_with_key):
    """A client of an administrator whose name comes after all others, and who is older than the filters' dates."""
    owner = AdministratorFactory(
        user_name="zz-owner", creation_date=datetime(1999, 1, 1), is_locked_out=False, display_name="Owner"
    )
    return client_with_key(administrator=owner)


def without_owner(found):
    return [name for name in found if name != "zz-owner"]


def test_answers_every_member_in_the_interfaces_order(api):
    administrator = AdministratorFactory(
        user_name="keeper",
        password_stamp="s" * 22,
        creation_date=datetime(2018, 1, 23, 13, 31, 43),
        last_activity_date=datetime(2018, 6, 29, 14, 29, 16),
        count_of_login=87,
        count_of_failed_login=1,
        creator_user_name="root",
        is_locked_out=True,
        site_id_collection="1,436",
        site_id=1325,
        department_id=2,
        area_id=3,
        display_name="看守",
        email="keeper@example.org",
        mobile="13800000000",
    )
    password, salt = placeholder_credentials("administrator", administrator.pk, "s" * 22)
    expected = {
        "id": administrator.pk,
        "userName": "keeper",
        "password": password,
        "passwordFormat": "Encrypted",
        "passwordSalt": salt,
        "creationDate": "2018-01-23 13:31:43",
        "lastActivityDate": "2018-06-29 14:29:16",
        "countOfLogin": 87,
        "countOfFailedLogin": 1,
        "creatorUserName": "root",
        "isLockedOut": True,
        "siteIdCollection": "1,436",
        "siteId": 1325,
        "departmentId": 2,
        "areaId": 3,
        "displayName": "看守",
        "email": "keeper@example.org",
        "mobile": "13800000000",
    }
    record = listed(api, ADMINISTRATORS)[-1]
    assert list(record.items()) == list(expected.items())
    assert type(record["isLockedOut"]) is bool


def test_the_name_stands_for_an_empty_display_name(api):
    AdministratorFactory(user_name="keeper", display_name="")
    record = listed(api, ADMINISTRATORS)[-1]
    assert record["displayName"] == "keeper"
    assert record["lastActivityDate"] is None
    assert not any(word in str(record) for word in ("superuser", "stamp", "groups", "argon2"))


def test_users_are_not_among_them(api):
    UserFactory()
    assert names(api, ADMINISTRATORS) == ["zz-owner"]


def test_the_list_is_whole_by_id_or_in_pages(api):
    Administrator.objects.bulk_create(Administrator(user_name=f"keeper{99 - n}", password="!") for n in range(30))
    expected = ["zz-owner", *(f"keeper{99 - n}" for n in range(30))]
    assert names(api, ADMINISTRATORS) == expected
    body = api.get(f"{ADMINISTRATORS}?keyword=keeper&top=10&skip=10").json()
    assert [record["userName"] for record in body["value"]] == expected[11:21]
    assert body["count"] == 30
    assert all("keyword=keeper" in body[link] for link in ("first", "prev", "next", "last"))


@pytest.fixture
def crew():
    return [
        AdministratorFactory(
            user_name="Anchor",
            display_name="Keeper",
            email="Keeper@Example.org",
            mobile="138",
            creation_date=datetime(2026, 1, 1, 23, 59, 59),
            last_activity_date=datetime(2026, 3, 1, 12, 0, 0),
        ),
        AdministratorFactory(user_name="bollard", is_locked_out=True, creation_date=datetime(2026, 1, 2)),
    ]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("userName=ANCHOR", "Anchor"),
        ("email=keeper@example.org", "Anchor"),
        ("mobile=138", "Anchor"),
        ("displayName=keep", "Anchor"),
        ("displayName=BOLL", "bollard"),  # as it is shown
        ("displayName=anch", ""),
        ("keyword=or", "Anchor"),
        ("keyword=oll", "bollard"),
        ("isLockedOut=True", "bollard"),
        ("isLockedOut=false&creationDateFrom=2000-01-01", "Anchor"),
        ("CREATIONDATEFROM=2026-01-02", "bollard"),
        ("creationDateFrom=2000-01-01&creationDateTo=2026-01-01", "Anchor"),
        ("creationDateFrom=2000-01-01&creationDateTo=2026-01-01 23:59", ""),
        ("lastActivityDateFrom=2026-03-01&lastActivityDateTo=2026-03-01", "Anchor"),
        ("isChecked=false&createDateFrom=2027-01-01&isSuperuser=false", "Anchor bollard"),
    ],
)
def test_filters_choose(api, crew, query, found):
    assert without_owner(names(api, f"{ADMINISTRATORS}?{quote(query, safe='=&')}")) == found.split()


@pytest.mark.parametrize("query", ["isLockedOut=1", "creationDateTo=x", "keyword=%00", "top=x"])
def test_a_value_that_cannot_be_read_is_400_naming_the_parameter(api, query):
    body = assert_error(api.get(f"{ADMINISTRATORS}?{query}"), 400, "invalid_value")
    assert body["message"].startswith(f"{query.partition('=')[0]} must be ")


def test_reading_is_enough_and_needed(client_with_key):
    assert client_with_key(scopes="Administrators:read").get(ADMINISTRATORS).status_code == 200
    assert_error(client_with_key(scopes="Users,Contents").get(ADMINISTRATORS), 401, "scope_missing")
