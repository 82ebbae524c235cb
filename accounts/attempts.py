"""Failed sign-ins, counted over all nodes, so that guessing is slow and a stranger cannot shut an owner out.

Three counts, each forgotten after 15 minutes: of an account from one network, of a network, and of an account from
everywhere. The first two refuse. The last one only slows: it makes networks from which the account has not signed in
lately wait between attempts.

An account is counted both by the text that was typed and by its number, so that an e-mail address and a mobile give
no further guesses. Only the count of the text shows: a refusal that followed from the count of the number would tell
which texts belong to one account, so that such an attempt fails like one with a wrong password.
"""

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock

from django.conf import settings

from accounts import known_addresses
from accounts.models import Account
from cms_api import shared_counts
from cms_api.lib.client_address import network_of
from cms_api.lib.errors import InvalidInput, LimitReached

SECONDS = 15 * 60
LONGEST_WAIT = 5 * 60  # seconds between two attempts of a network on an account that many others guess at
_PREFIX = "sign-in"  # of the names of counts
_TRUSTED_SECONDS = 1.0  # a refusal is repeated so long without asking, so that a flood costs no statement
_MAX_REMEMBERED = 10_000
# The dotted and the dotless I are the letters whose lower case databases and Python see differently.
_I = str.maketrans("İı", "ii")
# Refusals by name: end of the repetition, end of the limit (monotonic seconds).
_refused: dict[str, tuple[float, float]] = {}

# Attempts under way by network.
_under_way: Counter[str] = Counter()
_counting = Lock()


class SignInFailed(InvalidInput):
    """400: one refusal for every reason, so that it tells nothing of the account."""

    def __init__(self) -> None:
        super().__init__(
            "sign_in_failed", "The account or the password is wrong, or the account is locked or not approved."
        )


@dataclass
class Attempt:
    """An attempt that may go on; `is_void` if it must fail even with the right password."""

    is_void: bool = False
    limits: list[str] = field(default_factory=list)  # that it reaches if it fails: account, address, everywhere
    names: list[str] = field(default_factory=list)  # of the counts that it has been added to


def refuse_remembered(kind: type[Account], typed: str, address: str) -> None:
    """Raises LimitReached if the same attempt was refused within the last second; costs no statement."""
    now = time.monotonic()
    for name in _remembered_names(kind, typed, network_of(address)):
        repeated_until, ends = _refused.get(name, (0.0, 0.0))
        if now < repeated_until:
            raise _too_many(ends - now)


@contextmanager
def limited(kind: type[Account], typed: str, found: Account | None, address: str) -> Iterator[Attempt]:
    """Let one attempt pass, counted as a failure before it happens; only SignInFailed leaves it counted.

    `typed` is empty if the account was not looked up by a text. Raises LimitReached beyond the limits; such an
    attempt counts nowhere.
    """
    attempt = Attempt()
    try:
        _count(attempt, kind, typed, found, network_of(address))
        yield attempt
    except SignInFailed:
        raise
    except BaseException:
        shared_counts.take_back(attempt.names)
        raise
    shared_counts.take_back(attempt.names)


@contextmanager
def at_once(address: str, most: int) -> Iterator[None]:
    """Let so many attempts of one network be under way in this process: one that floods does not fill the lane.

    Raises LimitReached (`busy`) beyond.
    """
    network = network_of(address) if address else ""
    with _counting:
        if _under_way[network] >= most:
            raise LimitReached("busy", "There are too many sign-ins from this address at once.", wait=1)
        _under_way[network] += 1
    try:
        yield
    finally:
        with _counting:
            _under_way[network] -= 1
            if not _under_way[network]:
                del _under_way[network]


def _count(attempt: Attempt, kind: type[Account], typed: str, found: Account | None, network: str) -> None:
    """Add the attempt to its counts. Raises LimitReached beyond a limit."""
    subjects = _subjects(kind, typed, found)
    limits = _limits(subjects, network)
    counts = shared_counts.add(limits, seconds=SECONDS)
    attempt.names += limits
    attempt.limits += sorted({limits[name][0] for name in limits if counts[name].number == limits[name][1]})
    ends = {name: counts[name].seconds_left for name, (_, limit) in limits.items() if counts[name].number > limit}
    of_text, of_network = _remembered_names(kind, typed or own_text(found), network)
    if seconds := ends.get(_address_name(network)):
        raise _refuse(of_network, seconds)
    slow = [subject for subject in subjects if _everywhere_name(subject) in ends]
    if slow and known_addresses.is_known(kind, found, network):
        slow = []
    for subject in subjects:
        seconds = ends.get(_pair_name(subject, network))
        if not seconds and subject in slow:
            seconds = _wait(attempt, subject, network, counts[_everywhere_name(subject)].number)
        if seconds and subject == subjects[0]:
            raise _refuse(of_text, seconds)
        attempt.is_void = attempt.is_void or bool(seconds)


def _wait(attempt: Attempt, subject: str, network: str, failures: int) -> int:
    """The seconds that the network still has to wait since its last attempt on the account, which grow with failures.

    No thread waits: the response tells the client when to come back.
    """
    wait = min(LONGEST_WAIT, 2 ** min(16, failures // settings.CMS_LOGIN_FAILURES_EVERYWHERE))
    name = _wait_name(subject, network)
    count = shared_counts.add([name], seconds=wait)[name]
    attempt.names.append(name)
    return count.seconds_left if count.number > 1 else 0


def own_text(account: Account | None) -> str:
    """The text to count by if the account was not looked up by one."""
    return f"number {account.pk}" if account else ""


def _limits(subjects: list[str], network: str) -> dict[str, tuple[str, int]]:
    """Which limit it is, and how high, by the names of counts."""
    limits: dict[str, tuple[str, int]] = {}
    for subject in subjects:
        limits[_pair_name(subject, network)] = ("account", settings.CMS_LOGIN_FAILURES_PER_ACCOUNT)
        limits[_everywhere_name(subject)] = ("everywhere", settings.CMS_LOGIN_FAILURES_EVERYWHERE)
    if network:
        limits[_address_name(network)] = ("address", settings.CMS_LOGIN_FAILURES_PER_ADDRESS)
    return {name: limit for name, limit in limits.items() if limit[1]}


def _subjects(kind: type[Account], typed: str, found: Account | None) -> list[str]:
    """Return what to count attempts by: the typed text first, whose refusals clients see, then the account.

    An unknown account has a stand-in, so that it costs as much. Names include the time of the last unlocking, which
    therefore begins all counts of the account again.
    """
    model = kind._meta.model_name
    account = f"{own_text(found)} unlocked {found.unlocked_at}" if found else f"that is unknown {_folded(typed)}"
    shown = [f"{model} named {_folded(typed)} of {account}"] if typed else []
    return [*shown, f"{model} {account}"]


def _folded(typed: str) -> str:
    """The same for all spellings that the look-up takes for the same account, on either engine."""
    return typed.strip().translate(_I).casefold()


def _pair_name(subject: str, network: str) -> str:
    return f"{_PREFIX} of {subject} from {network}"


def _wait_name(subject: str, network: str) -> str:
    return f"{_pair_name(subject, network)} after a wait"


def _everywhere_name(subject: str) -> str:
    return f"{_PREFIX} of {subject} from everywhere"


def _address_name(network: str) -> str:
    return f"{_PREFIX} from {network}"


def _remembered_names(kind: type[Account], typed: str, network: str) -> tuple[str, str]:
    return f"{kind._meta.model_name} {_folded(typed)} from {network}", f"from {network}"


def _refuse(name: str, seconds: int) -> LimitReached:
    if len(_refused) > _MAX_REMEMBERED:
        _refused.clear()
    now = time.monotonic()
    _refused[name] = (now + min(_TRUSTED_SECONDS, seconds), now + seconds)
    return _too_many(seconds)


def forget_refusals() -> None:
    """Ask the counts again, after an account was unlocked in this process."""
    _refused.clear()


def _too_many(seconds: float) -> LimitReached:
    wait = max(1, round(seconds))
    message = f"There were too many failed sign-ins for this account or from this address; try again in {wait} seconds."
    return LimitReached("too_many_failures", message, wait=wait)
