"""Who signs in: by name, e-mail address or mobile, and a password in one of its two forms (design §5, §9).

Nothing that a stranger can see, the time included, tells an unknown account from a wrong password, nor either from
an account that is locked or not approved: each refusal costs one look-up, one hashing and one transaction that
writes.
"""

from contextlib import suppress
from enum import Enum
from typing import Any, TypeVar

from django.core.exceptions import ImproperlyConfigured
from django.db import transaction
from django.db.models import Case, F, QuerySet, Value, When

from accounts import attempts, failures, known_addresses, user_log
from accounts.attempts import SignInFailed
from accounts.failures import Failure
from accounts.hashers import WirePasswordHasher, encode_md5, is_md5_form, md5_form, verify_md5
from accounts.models import Account, Administrator, has_email, has_mobile, has_name
from cms_api import audit
from cms_api.lib import clock
from cms_api.lib.client_address import network_of
from cms_api.lib.errors import LimitReached
from cms_api.uploads.bounded_executor import Lane

AccountT = TypeVar("AccountT", bound=Account)

# Hashing takes the processor for 20 ms. One of a worker's threads is left to other requests, and one of the lane's
# places to other networks than the one that takes the rest.
LANE, PLACES_PER_NETWORK = Lane("sign-in", places=3), 2
# However many strangers take the places, an account can sign in from where it has signed in lately.
KNOWN_LANE = Lane("sign-in from known addresses", places=1)


class Form(Enum):
    """How a password may be presented."""

    PLAIN = "plain"  # the back end
    MD5 = "md5"  # the change of an administrator's password
    EITHER = "either"  # logins: 32 hexadecimal digits are the MD5 form, anything else is plain


def sign_in(kind: type[AccountT], account: str, password: str, *, form: Form, address: str) -> AccountT:
    """The account with that name, e-mail address or mobile, its counters and log written.

    `address` is the client's, empty where there is none. Raises SignInFailed (400, one text for every reason) and
    LimitReached (429, with `too_many_failures` when the limits of accounts.attempts are reached).
    """
    with attempts.at_once(address, PLACES_PER_NETWORK):
        attempts.refuse_remembered(kind, account, address)
        found = find_by_account(kind, account)
        lane = _lane(kind, found, address)
        with attempts.limited(kind, account, found, address) as attempt:
            is_right = _is_right(lane, found, password, form)
            if found is None or not is_right or attempt.is_void or not _may_sign_in(found):
                _write_failure(kind, Failure(found, is_right, attempt, address))
                raise SignInFailed
            _write_success(found, address)
    _renew_hash(found, _md5(password, form))
    return found


def check_credentials(
    kind: type[AccountT], account: AccountT | str, password: str, *, form: Form, address: str
) -> AccountT:
    """Like sign_in, for a change of the password: counters, dates and log stay as they are.

    `account` is what was typed, or the account itself. The audit has an entry when an administrator's was refused.
    """
    typed = account if isinstance(account, str) else ""
    with attempts.at_once(address, PLACES_PER_NETWORK):
        found = None if isinstance(account, str) else account
        attempts.refuse_remembered(kind, typed or attempts.own_text(found), address)
        found = found or find_by_account(kind, typed)
        lane = _lane(kind, found, address)
        with attempts.limited(kind, typed, found, address) as attempt:
            is_right = _is_right(lane, found, password, form)
            if found is None or not is_right or attempt.is_void or not _may_sign_in(found):
                if kind is Administrator:
                    with transaction.atomic():
                        failure = Failure(found, is_right, attempt, address)
                        failures.note("administrator.identity_not_confirmed", failure)
                raise SignInFailed
    return found


def find_by_account(kind: type[AccountT], account: str) -> AccountT | None:
    """The account of that name, else with that e-mail address, else with that mobile; letter case never counts."""
    text = account.strip()
    ways = (has_name(text), has_email(text), has_mobile(text))
    rank = Case(*(When(way, then=Value(number)) for number, way in enumerate(ways)))
    return kind._default_manager.filter(ways[0] | ways[1] | ways[2]).order_by(rank).first()


def _md5(password: str, form: Form) -> str:
    is_md5 = form is Form.MD5 or (form is Form.EITHER and is_md5_form(password))
    return password if is_md5 else md5_form(password)


def _lane(kind: type[Account], found: Account | None, address: str) -> Lane:
    """Where the password is to be verified. Raises LimitReached if there is no place, before anything is counted."""
    try:
        LANE.refuse_when_full()
    except LimitReached:
        if not known_addresses.is_known(kind, found, network_of(address)):
            raise
        KNOWN_LANE.refuse_when_full()
        return KNOWN_LANE
    return LANE


def _is_right(lane: Lane, found: Account | None, password: str, form: Form) -> bool:
    return lane.run(verify_md5, _md5(password, form), found.password if found else "")


def _may_sign_in(account: Account) -> bool:
    return account.may_sign_in and not account.is_shut_out


def _write_success(account: Account, address: str) -> None:
    account.count_of_failed_login, account.last_activity_date = 0, clock.now()
    same = {name: getattr(account, name) for name in ("count_of_failed_login", "last_activity_date")}
    with transaction.atomic():
        if not _row(account).update(count_of_login=F("count_of_login") + 1, **same):
            raise SignInFailed  # it has been deleted in the meantime
        account.refresh_from_db(fields=["count_of_login"])
        known_addresses.remember(account, address)
        user_log.note(account, user_log.SIGN_IN, address)
        if isinstance(account, Administrator):
            audit.note("administrator.signed_in", account, actor=audit.current_actor().signing_in(account))


def _write_failure(kind: type[Account], failure: Failure) -> None:
    with transaction.atomic():
        if kind is Administrator:
            if failures.note("administrator.sign_in_failed", failure):
                _count_failure(kind, failure)
        elif failure.account is None:
            user_log.note_nobody(failure.address)
        elif _count_failure(kind, failure):
            user_log.note(failure.account, user_log.FAILED_SIGN_IN, failure.address)


def _count_failure(kind: type[Account], failure: Failure) -> bool:
    """Whether the account is still there."""
    changes: dict[str, Any] = {"count_of_failed_login": F("count_of_failed_login")}
    # Users fail by wrong passwords only, administrators by each refusal (original-behaviour §8.5).
    if not failure.is_right or kind is Administrator:
        changes = {"count_of_failed_login": F("count_of_failed_login") + 1, "last_activity_date": clock.now()}
    # An account that there is not has the number of none, so that it costs the same statement.
    number = failure.account.pk if failure.account else 0
    return bool(kind._default_manager.filter(pk=number).update(**changes))


def _renew_hash(account: Account, md5: str) -> None:
    """Store the password under today's pepper and cost; nothing that anybody sees depends on it."""
    if not WirePasswordHasher().must_update(account.password):
        return
    with suppress(LimitReached, ImproperlyConfigured):  # then a later sign-in does it
        renewed = LANE.run(encode_md5, md5)
        _row(account).filter(password=account.password).update(password=renewed)


def _row(account: AccountT) -> QuerySet[AccountT]:
    return type(account)._default_manager.filter(pk=account.pk)
