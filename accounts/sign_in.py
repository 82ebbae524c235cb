"""Sign-in by name, e-mail address or mobile and a plain or MD5 password; new passwords.

Neither the response nor its timing distinguishes an unknown account, a wrong password, and a locked or unapproved
account: each refusal costs one look-up, one hashing and one transaction that writes.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from enum import Enum
from typing import Any, TypeVar

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import transaction
from django.db.models import Case, F, Q, Value, When
from django.utils.crypto import get_random_string

from accounts import attempts, second_factor, user_log
from accounts.attempts import Attempt, SignInFailed
from accounts.hashers import WirePasswordHasher, encode_md5, is_md5_form, md5_form, verify_md5
from accounts.models import UNIQUE, Account, Administrator, has_email, has_mobile, has_name
from accounts.services import find
from accounts.validators import raise_if_weak, why_weak
from core import audit
from core.lib import clock
from core.lib.client_address import network_of
from core.lib.errors import InvalidInput, LimitReached
from core.lib.folding import doubled
from core.uploads.bounded_executor import BoundedExecutor

AccountT = TypeVar("AccountT", bound=Account)

# Hashing takes 20 ms of CPU. One of a worker's threads stays free for other requests, and one place of the lane for
# other networks.
LANE, PLACES_PER_NETWORK = BoundedExecutor("sign-in", places=3), 2
# Even if strangers take all places, an account can sign in from a network where it signed in lately.
KNOWN_LANE = BoundedExecutor("sign-in from known addresses", places=1)

# Generated passwords omit characters that are easily confused when read aloud.
_LETTERS, _SYMBOLS = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789", "-+#"
_DRAWN_LENGTH = 14


class Form(Enum):
    PLAIN = "plain"  # the admin
    MD5 = "md5"  # the change of an administrator's password
    EITHER = "either"  # logins: 32 hexadecimal digits are the MD5 form, anything else is plain


def sign_in(kind: type[AccountT], account: str, password: str, *, form: Form, address: str, code: str = "") -> AccountT:
    """Return the account. Raises SignInFailed (400, one message for every reason) and LimitReached (429).

    Raises SecondFactorRequired, without recording anything, if only the code of the second factor is missing.
    """
    with _verified(kind, account, None, password, form, address) as attempt:
        if attempt.account and attempt.succeeds:
            _renew(kind, attempt.account, password, form)
        return _complete(kind, attempt, code)


def finish_sign_in(administrator: Administrator, code: str, address: str) -> None:
    """Sign in an administrator who has already entered the password. Raises SignInFailed and LimitReached."""
    with _with_code(administrator, address) as attempt:
        _complete(Administrator, attempt, code)


def confirm_code(administrator: Administrator, code: str, address: str) -> None:
    """Use up a code of the second factor. Raises SignInFailed and LimitReached."""
    with _with_code(administrator, address) as attempt:
        attempt.has_wrong_code = not attempt.succeeds or not second_factor.use_up(administrator, code)
        if attempt.has_wrong_code:
            with transaction.atomic():
                attempts.record_failure("administrator.identity_not_confirmed", attempt)
            raise SignInFailed


@contextmanager
def _with_code(administrator: Administrator, address: str) -> Iterator[Attempt[Administrator]]:
    """Run the block within the limits of wrong passwords, which also count wrong codes."""
    with attempts.at_once(address, PLACES_PER_NETWORK):
        attempts.raise_if_remembered(Administrator, attempts.own_text(administrator), address)
        with attempts.limited(Administrator, "", administrator, address) as attempt:
            attempt.is_right = True
            yield attempt


def _complete(kind: type[AccountT], attempt: Attempt[AccountT], code: str) -> AccountT:
    found = attempt.account
    if isinstance(found, Administrator) and attempt.succeeds and second_factor.has(found):
        if not code:
            raise second_factor.SecondFactorRequired(administrator=found)
        attempt.has_wrong_code = not second_factor.use_up(found, code)
    if found is None or not attempt.succeeds:
        _write_failure(kind, attempt)
        raise SignInFailed
    _write_success(found, attempt.address)
    return found


def _renew(kind: type[Account], found: Account, password: str, form: Form) -> None:
    """Hash the password again if the pepper or the parameters have changed; if it fails, a later sign-in does."""
    if WirePasswordHasher().must_update(found.password):
        with suppress(LimitReached, ImproperlyConfigured):
            renewed = LANE.run(encode_md5, _md5(password, form))
            kind._default_manager.filter(pk=found.pk, password=found.password).update(password=renewed)


def check_credentials(
    kind: type[AccountT], account: AccountT | str, password: str, *, form: Form, address: str
) -> AccountT:
    """Like sign_in, by the typed text or the account itself, but leave counters, dates and log unchanged."""
    typed, known = (account, None) if isinstance(account, str) else ("", account)
    with _verified(kind, typed, known, password, form, address) as attempt:
        found = attempt.account
        if found is None or not attempt.succeeds:
            if kind is Administrator:
                with transaction.atomic():
                    attempts.record_failure("administrator.identity_not_confirmed", attempt)
            raise SignInFailed
    return found


@contextmanager
def _verified(
    kind: type[AccountT], typed: str, known: AccountT | None, password: str, form: Form, address: str
) -> Iterator[Attempt[AccountT]]:
    """Look up the account unless known, verify the password, and run the block, all within the limits."""
    with attempts.at_once(address, PLACES_PER_NETWORK):
        attempts.raise_if_remembered(kind, typed or attempts.own_text(known), address)
        found = known or find_by_account(kind, typed)
        lane = LANE
        try:
            LANE.raise_if_full()  # before anything is counted
        except LimitReached:
            if not attempts.is_known_network(kind, found, network_of(address)):
                raise
            KNOWN_LANE.raise_if_full()
            lane = KNOWN_LANE
        with attempts.limited(kind, typed, found, address) as attempt:
            attempt.is_right = _is_right(lane, found, password, form)
            yield attempt


def find_by_account(kind: type[AccountT], account: str) -> AccountT | None:
    """Return the account by name, else by e-mail address, else by mobile, as `fold` compares them."""
    text = account.strip()
    ways = (has_name(text), has_email(text), has_mobile(text))
    rank = Case(*(When(way, then=Value(number)) for number, way in enumerate(ways)))
    # The exact text distinguishes two accounts with the same folded form.
    is_exact = Q(*((f"folded_{column}", doubled(text)) for column in UNIQUE), _connector=Q.OR)
    exact_first = Case(When(is_exact, then=Value(0)), default=Value(1))
    return kind._default_manager.filter(ways[0] | ways[1] | ways[2]).order_by(rank, exact_first).first()


def _md5(password: str, form: Form) -> str:
    is_md5 = form is Form.MD5 or (form is Form.EITHER and is_md5_form(password))
    return password if is_md5 else md5_form(password)


def _is_right(lane: BoundedExecutor, found: Account | None, password: str, form: Form) -> bool:
    return lane.run(verify_md5, _md5(password, form), found.password if found else "")


def _write_success(account: Account, address: str) -> None:
    account.count_of_failed_login, account.last_activity_date = 0, clock.now()
    same = {name: getattr(account, name) for name in ("count_of_failed_login", "last_activity_date")}
    with transaction.atomic():
        row = type(account)._default_manager.filter(pk=account.pk)
        if not row.update(count_of_login=F("count_of_login") + 1, **same):
            raise SignInFailed  # deleted since
        account.refresh_from_db(fields=["count_of_login"])
        attempts.remember_network(account, address)
        user_log.note(account, user_log.SIGN_IN, address)
        if isinstance(account, Administrator):
            audit.record("administrator.signed_in", account, actor=audit.current_actor().signing_in(account))


def _write_failure(kind: type[Account], attempt: Attempt[Any]) -> None:
    with transaction.atomic():
        if kind is Administrator:
            if attempts.record_failure("administrator.sign_in_failed", attempt):
                _count_failure(kind, attempt)
        elif attempt.account is None:
            user_log.record_unknown_account(attempt.address)
        elif _count_failure(kind, attempt):
            user_log.note(attempt.account, user_log.FAILED_SIGN_IN, attempt.address)


def _count_failure(kind: type[Account], attempt: Attempt[Any]) -> bool:
    changes: dict[str, Any] = {"count_of_failed_login": F("count_of_failed_login")}
    # As in SiteServer, only wrong passwords count for users, every refusal for administrators.
    if not attempt.is_right or kind is Administrator:
        changes = {"count_of_failed_login": F("count_of_failed_login") + 1, "last_activity_date": clock.steady()}
    # An unknown account uses 0, so that it costs the same statement.
    number = attempt.account.pk if attempt.account else 0
    return bool(kind._default_manager.filter(pk=number).update(**changes))


def change_password(account: Account, new_password: str, address: str) -> None:
    """Store the password, ending tokens and sessions. Raises LimitReached, InvalidInput (SignInFailed in a race)."""
    raise_if_weak(account, new_password, member="newPassword")
    # The stamp, not the stored form, which a sign-in may have rehashed for the same password.
    rows = type(account)._default_manager.filter(pk=account.pk, password_stamp=account.password_stamp)
    LANE.run(account.set_password, new_password)
    columns = ("password", "password_stamp", account.PASSWORD_DATE)
    with transaction.atomic():
        if not rows.update(**{column: getattr(account, column) for column in columns}):
            raise SignInFailed
        user_log.note(account, user_log.NEW_PASSWORD, address)
        audit.record(f"{account._meta.model_name}.password_changed", account)


def give_password(kind: type[Account], account_id: int, password: str) -> None:
    """Set a password; keys stay. Raises NotFound, LimitReached, and InvalidInput if weak or changed concurrently."""
    try:
        change_password(find(kind, account_id), password, "")
    except SignInFailed as error:
        message = "Someone else has just changed the password; it was not changed again."
        raise InvalidInput("password_changed_meanwhile", message, member="password") from error


def draw_password() -> str:
    length = max(_DRAWN_LENGTH, settings.CMS_PASSWORD_MIN_LENGTH, settings.CMS_ADMINISTRATOR_PASSWORD_MIN_LENGTH)
    while True:
        password = get_random_string(length - 1, _LETTERS) + get_random_string(1, _SYMBOLS)
        if not why_weak(Administrator(), password):  # one in ten has no digit
            return password
