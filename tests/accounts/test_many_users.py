"""Users that are stored many at once are those that would have been stored one by one."""

from threading import Thread

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from accounts import attempts, services
from accounts.models import FOLDED, User
from accounts.services import change_users, create_users, make_user
from accounts.uniqueness import claim_all, claimed, owners_of
from core.audit.models import AuditEntry
from core.lib import clock
from core.lib.errors import LimitReached
from core.lib.folding import fold
from tests.factories import UserFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("stopped_clock")]
needs_many_writers = pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite has one writer at a time.")
_DRAWN = {"id", "password", "password_stamp", "token_stamp", "user_name", "email", "folding_stamp"}
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
    for user, row in zip(users, rows, strict=True):
        assert all(row.pop(f"folded_{name}") == fold(getattr(user, name)) for name in FOLDED)
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


def test_many_are_unlocked_by_few_statements():
    counts = []
    for many in (2, 100):
        users = [UserFactory(is_locked_out=True, count_of_failed_login=1) for _each in range(many)]
        with CaptureQueriesContext(connection) as captured:
            change_users([(user, {"is_locked_out": False}) for user in users])
        counts.append(len(captured))
        stored = User.objects.filter(pk__in=[user.pk for user in users])
        assert set(stored.values_list("is_locked_out", "count_of_failed_login")) == {(False, 0)}
        assert (
            AuditEntry.objects.filter(action="user.unlocked", object_id__in=[str(u.pk) for u in users]).count() == many
        )
    # The audit's rows take several statements on SQLite.
    assert counts[1] - counts[0] < 10


def test_failures_are_forgotten_by_what_an_unlocked_user_signed_in_by(settings):
    settings.CMS_LOGIN_FAILURES_PER_ACCOUNT = 1
    ann = UserFactory(user_name="Ann", email="ann@port.example", mobile="138", is_locked_out=True)
    names = ["ann", "ann@port.example", "138"]
    assert [fail_by(ann, name) for name in names] == ["failed"] * 3
    assert [fail_by(ann, name) for name in names] == ["refused"] * 3
    change_users([(ann, {"is_locked_out": False, "email": "other@port.example", "mobile": "139"})])
    ann.refresh_from_db()
    assert [fail_by(ann, name) for name in names] == ["failed"] * 3


def fail_by(user, typed):
    try:
        with attempts.limited(User, typed, user, ""):
            raise attempts.SignInFailed
    except attempts.SignInFailed:
        return "failed"
    except LimitReached:
        return "refused"


def test_owners_are_found_by_name_address_and_mobile_in_any_case():
    ann = UserFactory(user_name="Ann", email="ann@Port.example", mobile="+86138")
    UserFactory(user_name="ben", email="", mobile="")
    texts = ["ANN", "Ann@port.example", "+86138", "nobody", "'; --"]
    assert owners_of(User, texts) == {"ann": {ann.pk}, "ann@port.example": {ann.pk}, "+86138": {ann.pk}}
    assert owners_of(User, []) == {}


# ---- claims


def claim_one():
    with claimed(User, {"email": "ann@port.example"}):
        pass


def claim_every_one():
    with transaction.atomic():
        claim_all(User)


@needs_many_writers
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("first", "second"),
    [(claim_every_one, claim_one), (claim_one, claim_every_one), (claim_every_one, claim_every_one)],
)
def test_whoever_claims_all_and_whoever_claims_one_wait_for_each_other(first, second):
    order = []

    def claim():
        try:
            second()
            order.append("second")
        finally:
            connection.close()

    other = Thread(target=claim)
    with transaction.atomic():
        first()  # its locks last as long as this transaction
        other.start()
        while other.is_alive() and not somebody_waits():
            other.join(0.01)
        order.append("first")
    other.join()
    assert order == ["first", "second"]


def somebody_waits():
    with connection.cursor() as cursor:
        cursor.execute("SELECT COUNT(*) FROM pg_locks WHERE locktype = 'advisory' AND classid = 7344 AND NOT granted")
        return cursor.fetchone()[0] > 0
