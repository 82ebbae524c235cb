"""Failed sign-ins, counted across all nodes, to slow guessing without letting a stranger lock the owner out.

Three counts, each reset after 15 minutes: per account and network, per network, and per account from everywhere. The
first two refuse. The last one makes networks without a recent sign-in to the account wait between attempts.

An account is counted by the typed text and by its number, so that e-mail address and mobile give no further guesses.
Only the count of the text refuses visibly; the count of the number makes the attempt fail like a wrong password,
because a refusal would reveal which texts belong to one account.

Failures are recorded in the audit or the user's log, up to the one that reaches a limit. Guesses of names from very
many networks meet no limit, so each process records only some failures of unknown accounts and counts the rest.
"""

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from threading import Lock
from typing import Any, Generic, TypeVar

from django.conf import settings
from django.utils.crypto import salted_hmac

from accounts import user_log
from accounts.models import Account, KnownAddress
from core import audit, shared_counts
from core.lib import clock
from core.lib.client_address import network_of
from core.lib.errors import InvalidInput, LimitReached
from core.lib.folding import fold

AccountT = TypeVar("AccountT", bound=Account)
SECONDS = 15 * 60
UNKNOWN_ACCOUNTS = 200  # failures recorded per process within SECONDS
KNOWN_FOR = timedelta(days=30)  # a network, after the last sign-in from it
LONGEST_WAIT = 5 * 60  # seconds between two attempts of a network on an account that many others guess at
_PREFIX = "sign-in"  # of the names of counts
_TRUSTED_SECONDS = 1.0  # how long a refusal is repeated without a query, so that a flood costs no statement
_MAX_REMEMBERED = 10_000
# Refusals by name: end of the repetition, end of the limit (monotonic seconds).
_refused: dict[str, tuple[float, float]] = {}
_under_way: Counter[str] = Counter()
_counting = Lock()


class SignInFailed(InvalidInput):
    """400, with the same message for every reason, so that it reveals nothing about the account."""

    def __init__(self) -> None:
        message = "The account or the password is wrong, or the account is locked or not approved."
        super().__init__("sign_in_failed", message)


@dataclass
class Attempt(Generic[AccountT]):
    account: AccountT | None = None
    address: str = ""
    is_right: bool = False  # the password is right
    is_void: bool = False  # fails even with the right password
    has_wrong_code: bool = False  # of the second factor
    limits: list[str] = field(default_factory=list)  # reached if this attempt fails: account, address, everywhere
    names: list[str] = field(default_factory=list)  # of the counts to which the attempt was added

    @property
    def succeeds(self) -> bool:
        found = self.account
        if found is None or not self.is_right or self.is_void or self.has_wrong_code:
            return False
        return found.may_sign_in and not found.is_shut_out

    @property
    def reason(self) -> str:
        if self.account is None:
            return "unknown_account"
        if self.is_void:
            return "too_many_failures"
        if not self.is_right:
            return "wrong_password"
        if self.has_wrong_code:
            return "wrong_code"
        return "locked" if self.account.is_locked_out else "shut_out"


def raise_if_remembered(kind: type[Account], typed: str, address: str) -> None:
    """Raises LimitReached if the same attempt was refused within the last second; no query."""
    now = time.monotonic()
    for name in _remembered_names(kind, typed, network_of(address)):
        repeated_until, ends = _refused.get(name, (0.0, 0.0))
        if now < repeated_until:
            raise _too_many(ends - now)


@contextmanager
def limited(kind: type[AccountT], typed: str, found: AccountT | None, address: str) -> Iterator[Attempt[AccountT]]:
    """Run the block with the attempt counted as a failure, until it ends without SignInFailed. Raises LimitReached."""
    attempt = Attempt(found, address)
    try:
        _count(attempt, kind, typed, network_of(address))
        yield attempt
    except SignInFailed:
        raise
    except BaseException:
        shared_counts.take_back(attempt.names)
        raise
    shared_counts.take_back(attempt.names)


@contextmanager
def at_once(address: str, most: int) -> Iterator[None]:
    """Limit the running attempts of one network in this process. Raises LimitReached (`busy`)."""
    network = network_of(address) if address else ""
    with _counting:
        if _under_way[network] >= most:
            raise LimitReached(
                "busy", "Too many sign-ins from this address are in progress; try again in a second.", wait=1
            )
        _under_way[network] += 1
    try:
        yield
    finally:
        with _counting:
            _under_way[network] -= 1
            if not _under_way[network]:
                del _under_way[network]


def _count(attempt: Attempt[Any], kind: type[Account], typed: str, network: str) -> None:
    found = attempt.account
    subjects = _subjects(kind, typed, found)
    limits: dict[str, tuple[str, int]] = {}  # name of a count → the limit and its value
    for subject in subjects:
        limits[_pair_name(subject, network)] = ("account", settings.CMS_LOGIN_FAILURES_PER_ACCOUNT)
        limits[_everywhere_name(subject)] = ("everywhere", settings.CMS_LOGIN_FAILURES_EVERYWHERE)
    address_name = f"{_PREFIX} from {network}"
    if network:
        limits[address_name] = ("address", settings.CMS_LOGIN_FAILURES_PER_ADDRESS)
    limits = {name: limit for name, limit in limits.items() if limit[1]}
    counts = shared_counts.add(limits, seconds=SECONDS)
    attempt.names += limits
    attempt.limits += sorted({limits[name][0] for name in limits if counts[name].number == limits[name][1]})
    ends = {name: counts[name].seconds_left for name, (_, limit) in limits.items() if counts[name].number > limit}
    of_text, of_network = _remembered_names(kind, typed or own_text(found), network)
    if seconds := ends.get(address_name):
        raise _refuse(of_network, seconds)
    slow = [subject for subject in subjects if _everywhere_name(subject) in ends]
    if slow and is_known_network(kind, found, network):
        slow = []
    for subject in subjects:
        seconds = ends.get(_pair_name(subject, network))
        if not seconds and subject in slow:
            seconds = _wait(attempt, subject, network, counts[_everywhere_name(subject)].number)
        if seconds and subject == subjects[0]:
            raise _refuse(of_text, seconds)
        attempt.is_void = attempt.is_void or bool(seconds)


def _wait(attempt: Attempt[Any], subject: str, network: str, failures: int) -> int:
    """Return the seconds that the network must still wait since its last attempt on the account; no thread sleeps."""
    wait = min(LONGEST_WAIT, 2 ** min(16, failures // settings.CMS_LOGIN_FAILURES_EVERYWHERE))
    name = f"{_pair_name(subject, network)} after a wait"
    count = shared_counts.add([name], seconds=wait)[name]
    attempt.names.append(name)
    return count.seconds_left if count.number > 1 else 0


def own_text(account: Account | None) -> str:
    return f"number {account.pk}" if account else ""


def _subjects(kind: type[Account], typed: str, found: Account | None) -> list[str]:
    """Return the typed text, whose refusals clients see, then the account or a stand-in; unlocking renames both."""
    model = kind._meta.model_name
    account = f"{own_text(found)} unlocked {found.unlocked_at}" if found else f"that is unknown {fold(typed.strip())}"
    shown = [f"{model} named {fold(typed.strip())} of {account}"] if typed else []
    return [*shown, f"{model} {account}"]


def _pair_name(subject: str, network: str) -> str:
    return f"{_PREFIX} of {subject} from {network}"


def _everywhere_name(subject: str) -> str:
    return f"{_PREFIX} of {subject} from everywhere"


def _remembered_names(kind: type[Account], typed: str, network: str) -> tuple[str, str]:
    return f"{kind._meta.model_name} {fold(typed.strip())} from {network}", f"from {network}"


def _refuse(name: str, seconds: int) -> LimitReached:
    if len(_refused) > _MAX_REMEMBERED:
        _refused.clear()
    now = time.monotonic()
    _refused[name] = (now + min(_TRUSTED_SECONDS, seconds), now + seconds)
    return _too_many(seconds)


def forget_refusals() -> None:
    """Query the counts again, after an account was unlocked in this process."""
    _refused.clear()


def _too_many(seconds: float) -> LimitReached:
    wait = max(1, round(seconds))
    message = f"There were too many failed sign-ins for this account or from this address; try again in {wait} seconds."
    return LimitReached("too_many_failures", message, wait=wait)


def remember_network(account: Account, address: str) -> None:
    """Record the network, so that guesses from elsewhere do not slow the account down there; delete old records."""
    # Delete first: two sign-ins that each hold a renewed row could deadlock here.
    KnownAddress.objects.filter(seen_at__lt=clock.now() - KNOWN_FOR).delete()
    if address:
        known = KnownAddress(digest=_digest(type(account), account, network_of(address)), seen_at=clock.now())
        KnownAddress.objects.bulk_create(
            [known], update_conflicts=True, unique_fields=["digest"], update_fields=["seen_at"]
        )


def is_known_network(kind: type[Account], account: Account | None, network: str) -> bool:
    """Return true if the account signed in from the network within 30 days; unknown accounts cost a query too."""
    known = KnownAddress.objects.filter(seen_at__gte=clock.now() - KNOWN_FOR)
    return known.filter(digest=_digest(kind, account, network)).exists()


def _digest(kind: type[Account], account: Account | None, network: str) -> str:
    value = f"{kind._meta.model_name} {account.pk if account else 0} {network}"
    return salted_hmac("accounts.known_addresses", value, algorithm="sha256").hexdigest()


class _Allowance:
    def __init__(self) -> None:
        self._lock = Lock()
        self._ends, self._left, self._not_noted = 0.0, 0, 0

    def take(self) -> int | None:
        """Return how many failures were not recorded before this one; None if this one must not be recorded either."""
        now = time.monotonic()
        with self._lock:
            if now >= self._ends:
                self._ends, self._left = now + SECONDS, UNKNOWN_ACCOUNTS
            if not self._left:
                self._not_noted += 1
                return None
            self._left -= 1
            not_noted, self._not_noted = self._not_noted, 0
            return not_noted


allowance = _Allowance()


def record_failure(action: str, attempt: Attempt[Any]) -> bool:
    """Record an administrator's failed attempt without the typed text; False if only counted, at the same cost."""
    not_noted = allowance.take() if attempt.account is None else 0
    if not_noted is None:
        user_log.record_unknown_account(attempt.address)
        return False
    given: dict[str, Any] = {"limits": attempt.limits, "not_noted_before": not_noted}
    details = {name: value for name, value in given.items() if value}
    audit.record(action, attempt.account, reason=attempt.reason, **details)
    return True
