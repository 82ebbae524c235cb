"""Users that are stored many at once are those that would have been stored one by one."""

import pytest
from django.db import connection

from accounts import services
from accounts.many import change_users, create_users
from accounts.models import User
from accounts.services import make_user
from accounts.uniqueness import claim_all, owners_of
from cms_api.lib import clock
from cms_api.models import AuditEntry
from tests.factories import UserFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("stopped_clock")]
_DRAWN = {"id", "password", "password_stamp", "token_stamp", "user_name", "email"}
NEW = [
    {"display_name": "Ann", "email": "ann@{}.example"},
    {"password": "lantern7", "is_checked": False},
    {"is_locked_out": True, "qq": "1"},
]
OLD = [
    {"display_name": "Ann"},
    {"is_locked_out": True, "count_of_failed_login": 2},
    {"avatar_file": "a/b.jpg", "avatar_url": ""},
    {"display_name": "Same"},
    {},
]
CHANGES = [
    {"display_name": "Ann A.", "email": "ann@{}.example"},
    {"is_locked_out": False, "qq": "2"},
    {"avatar_url": "https://example.org/a.png"},
    {"display_name": "Same"},
    {"is_locked_out": True},
]


@pytest.fixture(autouse=True)
def one_moment(monkeypatch):
    now = clock.now()
    monkeypatch.setattr(clock, "now", lambda: now)


def values_of(name, values):
    return {key: value.format(name) if isinstance(value, str) else value for key, value in values.items()}


def state(prefix):
    users = User.objects.filter(user_name__startswith=prefix).order_by("pk")
    rows = [{name: value for name, value in row.items() if name not in _DRAWN} for row in users.values()]
    stamps = [(bool(user.password_stamp), bool(user.token_stamp), user.check_password("lantern7")) for user in users]
    numbers = [str(user.pk) for user in users]
    entries = AuditEntry.objects.filter(object_id__in=numbers, action__startswith="user.").order_by("object_name", "id")
    return rows, stamps, [(entry.object_name[1:], entry.action, entry.changed) for entry in entries]


def test_new_ones():
    for place, values in enumerate(NEW):
        services.create_user({"user_name": f"a{place}"} | values_of("a", values))
    create_users([make_user({"user_name": f"b{place}"} | values_of("b", each)) for place, each in enumerate(NEW)])
    assert state("b") == state("a")


def test_changed_ones(django_capture_on_commit_callbacks):
    for letter in "ab":
        for place, values in enumerate(OLD):
            UserFactory(user_name=f"{letter}{place}", **values)
    with django_capture_on_commit_callbacks() as one:
        for place, values in enumerate(CHANGES):
            services.update_user(User.objects.get(user_name=f"a{place}").pk, values_of("a", values))
    with django_capture_on_commit_callbacks() as other:
        users = User.objects.filter(user_name__startswith="b").order_by("pk")
        change_users([(user, values_of("b", each)) for user, each in zip(users, CHANGES, strict=True)])
    assert state("b") == state("a")
    assert len(one) == len(other) == 1  # the picture goes at the commit


def test_owners_are_found_by_name_address_and_mobile_in_any_case():
    ann = UserFactory(user_name="Ann", email="ann@Port.example", mobile="+86138")
    UserFactory(user_name="ben", email="", mobile="")
    texts = ["ANN", "Ann@port.example", "+86138", "nobody", "'; --"]
    assert owners_of(User, texts) == {"ann": {ann.pk}, "ann@port.example": {ann.pk}, "+86138": {ann.pk}}
    assert owners_of(User, []) == {}


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer at a time")
def test_whoever_claims_all_waits_for_whoever_claims_one():
    claim_all(User)
    with connection.cursor() as cursor:
        cursor.execute("SELECT mode FROM pg_locks WHERE locktype = 'advisory' AND classid = 7344")
        assert cursor.fetchall() == [("ExclusiveLock",)]
