"""GET /users: every user, with every member of the interface; filters; pages."""

import re
from datetime import UTC, datetime
from urllib.parse import parse_qsl, quote, urlsplit
from zoneinfo import ZoneInfo

import pytest
from django.db import connection

from accounts.models import User
from accounts.records import placeholder_credentials
from tests.accounts.asking import USERS, listed, names
from tests.assertions import assert_error
from tests.cases import each_once
from tests.factories import UserFactory
from tests.worlds import world

pytestmark = [pytest.mark.django_db, pytest.mark.every_case]


def test_answers_every_member_in_the_interfaces_order(api):
    user = UserFactory(
        user_name="reader",
        password_stamp="s" * 22,
        create_date=datetime(2018, 2, 5, 8, 31, 22),
        last_reset_password_date=datetime(2018, 5, 30, 9, 14, 54),
        last_activity_date=datetime(2018, 5, 30, 9, 15, 4),
        count_of_login=16,
        count_of_failed_login=2,
        count_of_writing=3,
        is_checked=False,
        is_locked_out=True,
        display_name="读者",
        email="reader@example.org",
        mobile="13800000000",
        organization="Museum",
        department="Desk",
        position="Guide",
        gender="f",
        birthday="1990-01-01",
        education="School",
        graduation="Degree",
        address="Quay 1",
        wei_xin="reader-w",
        qq="10000",
        wei_bo="reader-b",
        interests="boats",
        signature="Ahoy",
    )
    password, salt = placeholder_credentials("user", user.pk, "s" * 22)
    expected = {
        "id": user.pk,
        "userName": "reader",
        "password": password,
        "passwordFormat": "Encrypted",
        "passwordSalt": salt,
        "createDate": "2018-02-05 08:31:22",
        "lastResetPasswordDate": "2018-05-30 09:14:54",
        "lastActivityDate": "2018-05-30 09:15:04",
        "countOfLogin": 16,
        "countOfFailedLogin": 2,
        "countOfWriting": 3,
        "isChecked": False,
        "isLockedOut": True,
        "displayName": "读者",
        "email": "reader@example.org",
        "mobile": "13800000000",
        "avatarUrl": "",
        "organization": "Museum",
        "department": "Desk",
        "position": "Guide",
        "gender": "f",
        "birthday": "1990-01-01",
        "education": "School",
        "graduation": "Degree",
        "address": "Quay 1",
        "weiXin": "reader-w",
        "qq": "10000",
        "weiBo": "reader-b",
        "interests": "boats",
        "signature": "Ahoy",
    }
    (record,) = listed(api, USERS)
    assert list(record.items()) == list(expected.items())
    assert type(record["isChecked"]) is type(record["isLockedOut"]) is bool


def test_what_never_happened_is_null_and_absent_texts_are_empty(api):
    UserFactory()
    (record,) = listed(api, USERS)
    assert record["lastActivityDate"] is None
    assert record["displayName"] == record["signature"] == record["avatarUrl"] == ""
    assert [name for name, member in record.items() if member is None] == ["lastActivityDate"]


def test_nothing_of_the_stored_password_is_shown(api):
    user = UserFactory()
    user.set_password("harbour-27")
    user.save()
    text = str(listed(api, USERS))
    assert not any(secret in text for secret in ("argon2", "harbour-27", user.password, user.password_stamp))


def test_without_parameters_the_whole_list_is_answered_by_id(api):
    rows = (User(user_name=f"reader{9999 - n}", password="!") for n in range(2005))
    User.objects.bulk_create(rows, batch_size=1000)
    assert names(api, USERS) == [f"reader{9999 - n}" for n in range(2005)]


def test_a_list_costs_one_statement_for_each_chunk_and_a_page_one_more(api, django_assert_num_queries):
    UserFactory.create_batch(3)
    names(api, USERS)  # the key is known from here on
    with django_assert_num_queries(1):
        names(api, USERS)
    with django_assert_num_queries(2):
        names(api, USERS + "?top=2")
    with django_assert_num_queries(1):
        names(api, USERS + "?keyword=user&isChecked=true")


def test_a_page_is_one_of_those_that_the_filters_choose_and_links_keep_them(api):
    for number in range(5):
        UserFactory(user_name=f"boat{number}", display_name="50% & more")
    UserFactory(user_name="other")
    query = f"?KEYWORD=boat&displayName={quote('% & ')}&top=2&skip=2"
    body = api.get(USERS + query).json()
    assert [record["userName"] for record in body["value"]] == ["boat2", "boat3"]
    assert body["count"] == 5
    assert dict(parse_qsl(urlsplit(body["next"]).query)) == {
        "KEYWORD": "boat",
        "displayName": "% & ",
        "top": "2",
        "skip": "4",
    }


@world
def crew():
    """Users that differ in everything that a filter asks for."""
    return [
        UserFactory(
            user_name="Anchor",
            display_name="Keeper 50%",
            email="Keeper@Example.org",
            mobile="13800000001",
            create_date=datetime(2026, 1, 1, 0, 0, 0),
            last_activity_date=datetime(2026, 3, 1, 12, 0, 0),
        ),
        UserFactory(
            user_name="bollard",
            display_name="灯塔_看守",
            email="bollard@example.org",
            is_checked=False,
            create_date=datetime(2026, 1, 1, 23, 59, 59),
            last_activity_date=datetime(2026, 3, 2, 12, 0, 0),
        ),
        UserFactory(
            user_name="compass",
            mobile="139",
            is_locked_out=True,
            display_name="a\\b",
            create_date=datetime(2026, 1, 2, 0, 0, 0),
        ),
    ]


FILTERS = [
    # query, user names
    ("userName=Anchor", "Anchor"),
    ("username=ANCHOR", "Anchor"),
    ("UserName=anchor", "Anchor"),
    ("userName=anch", ""),
    ("userName=anchor%25", ""),
    ("userName=%25", ""),
    ("email=keeper@example.ORG", "Anchor"),
    ("email=example.org", ""),
    ("Email=bollard@example.org", "bollard"),
    ("mobile=139", "compass"),
    ("mobile=13", ""),
    ("displayName=KEEPER", "Anchor"),
    ("displayName=灯塔", "bollard"),
    ("displayName=%25", "Anchor"),
    ("displayName=_", "bollard"),
    ("displayName=%5C", "compass"),
    ("displayName=50%25", "Anchor"),
    ("displayName=5%25", ""),
    ("keyword=O", "Anchor bollard compass"),
    ("keyword=keeper@", "Anchor"),
    ("keyword=看守", "bollard"),
    ("keyword=13", "Anchor compass"),
    ("keyword=nobody", ""),
    ("keyword=' OR 1=1 --", ""),
    ("isChecked=true", "Anchor compass"),
    ("isChecked=False", "bollard"),
    ("ISCHECKED=FALSE", "bollard"),
    ("isLockedOut=True", "compass"),
    ("isLockedOut=false", "Anchor bollard"),
    ("createDateFrom=2026-01-02", "compass"),
    ("createDateTo=2026-01-01", "Anchor bollard"),
    ("createDateTo=2026-01-01 00:00:00", "Anchor"),
    ("createDateTo=2026-01-01 00:00", "Anchor"),
    ("createDateTo=2026-01-01T23:59:59", "Anchor bollard"),
    ("createDateFrom=2026-01-01 00:00:01&createDateTo=2026-01-01 23:59:59", "bollard"),
    ("createDateFrom=2026-01-02&createDateTo=2026-01-01", ""),
    ("createDateFrom=0001-01-01 00:00:00", "Anchor bollard compass"),
    ("createDateTo=0001-01-01 00:00:00", ""),
    ("createDateTo=9999-12-31", "Anchor bollard compass"),
    ("lastActivityDateFrom=2026-03-02", "bollard"),
    ("lastActivityDateTo=2026-03-01", "Anchor"),
    ("lastactivitydatefrom=2026-03-01 12:00:00", "Anchor bollard"),
    ("isChecked=true&isLockedOut=false&keyword=anchor", "Anchor"),
    ("isChecked=false&isLockedOut=true", ""),
    ("userName=", "Anchor bollard compass"),
    ("isChecked=&createDateFrom=&keyword=", "Anchor bollard compass"),
    ("unknown=1&creationDateFrom=2027-01-01&isSuperuser=true&password=x&id=1", "Anchor bollard compass"),
    ("user_name=nobody&is_checked=false", "Anchor bollard compass"),
    ("1590000000000&userName=compass", "compass"),
]


@pytest.mark.parametrize(("query", "found"), FILTERS)
def test_filters_choose(api, crew, query, found):
    path = f"{USERS}?{query.replace(' ', '%20')}"
    assert names(api, path) == found.split()
    assert [record["userName"] for record in api.get(f"{path}&top=10").json()["value"]] == found.split()


def test_a_moment_may_have_an_offset(api, crew, settings):
    moment = datetime(2026, 1, 1, 23, 59, 59, tzinfo=ZoneInfo(settings.TIME_ZONE)).astimezone(UTC)
    for form in ("%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%d %H:%M:%S+00:00"):
        assert names(api, f"{USERS}?createDateTo={quote(moment.strftime(form))}") == ["Anchor", "bollard"]


TEXTS = ["userName", "email", "mobile", "displayName", "keyword"]
DATES = ["createDateFrom", "createDateTo", "lastActivityDateFrom", "lastActivityDateTo"]
BAD = [
    *(("isChecked", wrong) for wrong in ("1", "yes", "null", "%00", "tru")),
    ("ISLOCKEDOUT", "1"),
    *((name, "soon") for name in DATES),
    *((DATES[0], wrong) for wrong in ("2026-13-01", "2026-02-30", "1", "%00", "99999-01-01")),
    *((name, "x" * 256) for name in TEXTS),
    *((TEXTS[0], wrong) for wrong in ("%00", "a%00b")),
]  # fmt: skip


@pytest.mark.any_database
@pytest.mark.parametrize(("name", "wrong"), BAD)
def test_a_value_that_cannot_be_read_is_400_naming_the_parameter(api, name, wrong):
    body = assert_error(api.get(f"{USERS}?{name}={wrong}"), 400, "invalid_value")
    assert body["member"] == name
    assert body["message"].startswith(f"{name} must be ")


@each_once(
    ("text", ["%F0%9F%9A%A2", "%D7%A9%D7%9C", "%ED%A0%80", "%FF", "x" * 255, "%27%22%3B", "\\"]),
    ("name", TEXTS),
)
def test_any_other_text_is_only_looked_for(api, crew, name, text):
    assert names(api, f"{USERS}?{name}={text}") in ([], ["compass"])


def test_a_parameter_in_two_spellings_is_400(api):
    assert_error(api.get(f"{USERS}?userName=a&username=a"), 400, "duplicate_member")
    assert_error(api.get(f"{USERS}?isChecked=&ischecked=true"), 400, "duplicate_member")


def test_other_parameters_may_come_in_two_spellings(api):
    assert names(api, f"{USERS}?other=1&OTHER=2") == []


def test_an_argument_of_the_database_is_no_filter(api):
    UserFactory()
    assert len(listed(api, f"{USERS}?user_name__startswith=zzz&pk=0&userName__contains=zzz")) == 1


@pytest.mark.parametrize(
    ("query", "column"),
    [("userName=user77", "user_name"), ("email=user77@example.org", "email"), ("mobile=1390077", "mobile")],
)
def test_an_exact_filter_goes_by_an_index(api, query, column, django_assert_num_queries):
    User.objects.bulk_create(
        UserFactory.build(user_name=f"user{n}", email=f"user{n}@example.org", mobile=f"139{n:04}") for n in range(500)
    )
    names(api, USERS)
    with django_assert_num_queries(1) as captured:
        assert names(api, f"{USERS}?{query}") == ["user77"]
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("ANALYZE accounts_user")
            cursor.execute(f"EXPLAIN {captured.captured_queries[0]['sql']}")
        else:
            cursor.execute(f"EXPLAIN QUERY PLAN {captured.captured_queries[0]['sql']}")
        plan = str(cursor.fetchall())
    assert f"user_folded_{column.removeprefix('user_')}_unique" in plan
    assert re.search(rf"Index Cond: \(.*{column}|\(folded_{column}=\?\)", plan)


def test_reading_is_enough(client_with_key):
    assert names(client_with_key(scopes="Users:read"), USERS) == []


@pytest.mark.parametrize("scopes", ["", "Administrators", "Contents,Channels,STL,SQL,System"])
def test_another_scope_is_not_enough(client_with_key, scopes):
    assert_error(client_with_key(scopes=scopes).get(f"{USERS}?isChecked=x"), 401, "scope_missing")
