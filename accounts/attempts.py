"""Failed sign-ins, counted by account and by network over all nodes, so that nobody guesses for long."""

import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from threading import Lock

from django.conf import settings

from accounts.models import Account
from cms_api import shared_counts
from cms_api.rest.client_address import network_of
from cms_api.rest.errors import BadRequest, TooManyRequests

SECONDS = 15 * 60
_PREFIX = "sign-in"  # of the names of counts
_TRUSTED_SECONDS = 1.0  # a full count is believed so long without asking, so that a flood costs no statement
_MAX_REMEMBERED = 10_000
# The dotted and the dotless I are the letters whose lower case databases and Python see differently.
_I = str.maketrans("İı", "ii")
# Names of full counts: until when that is believed, and when the count is forgotten (monotonic seconds).
_full: dict[str, tuple[float, float]] = {}


# Attempts under way by network.
_under_way: Counter[str] = Counter()
_counting = Lock()


class SignInFailed(BadRequest):
    """400: one refusal for every reason, so that it tells nothing of the account."""

    def __init__(self) -> None:
        super().__init__(
            "sign_in_failed", "The account or the password is wrong, or the account is locked or not approved."
        )


@contextmanager
def limited(kind: type[Account], account: str | int, address: str) -> Iterator[list[str]]:
    """Let one attempt pass, counted as a failure before it happens; only SignInFailed leaves it counted.

    The block learns which limits it reaches, if it fails: `account`, `address`. After that there are refusals only.

    `account` is what was typed, or the id where the account is known beforehand and may have changed its name.
    Raises TooManyRequests beyond CMS_LOGIN_FAILURES_PER_ACCOUNT and CMS_LOGIN_FAILURES_PER_ADDRESS. What is
    refused here counts nowhere: nobody locks an account from an address that is refused itself.
    """
    limits = _limits(kind, account, address)
    _refuse_remembered(limits)
    counts = shared_counts.add(limits, seconds=SECONDS) if limits else {}
    try:
        ends = {name: counts[name].seconds_left for name, limit in limits.items() if counts[name].number > limit}
        if ends:
            _remember(ends)
            raise _too_many(max(ends.values()))
        reached = [name for name, limit in limits.items() if counts[name].number == limit]
        yield ["address" if name.startswith(f"{_PREFIX} from ") else "account" for name in reached]
    except SignInFailed:
        raise
    except BaseException:
        shared_counts.take_back(limits)
        raise
    shared_counts.take_back(limits)


@contextmanager
def at_once(address: str, most: int) -> Iterator[None]:
    """Let so many attempts of one network be under way in this process: one that floods does not fill the lane.

    Raises TooManyRequests (`busy`) beyond.
    """
    network = network_of(address) if address else ""
    with _counting:
        if _under_way[network] >= most:
            raise TooManyRequests("busy", "There are too many sign-ins from this address at once.", wait=1)
        _under_way[network] += 1
    try:
        yield
    finally:
        with _counting:
            _under_way[network] -= 1
            if not _under_way[network]:
                del _under_way[network]


def forget(kind: type[Account], accounts: Iterable[str | int]) -> None:
    """Forget the failures counted under these names, e-mail addresses, mobiles and ids."""
    names = [_account_name(kind, account) for account in accounts]
    for name in names:
        _full.pop(name, None)
    shared_counts.forget(names)


def _limits(kind: type[Account], account: str | int, address: str) -> dict[str, int]:
    limits = {_account_name(kind, account): settings.CMS_LOGIN_FAILURES_PER_ACCOUNT}
    if address:
        limits[f"{_PREFIX} from {network_of(address)}"] = settings.CMS_LOGIN_FAILURES_PER_ADDRESS
    return {name: limit for name, limit in limits.items() if limit}


def _account_name(kind: type[Account], account: str | int) -> str:
    """The same for all spellings that the look-up takes for the same account, on either engine."""
    if isinstance(account, int):
        return f"{_PREFIX} of {kind._meta.model_name} number {account}"
    return f"{_PREFIX} of {kind._meta.model_name} named {account.strip().translate(_I).casefold()}"


def _refuse_remembered(names: Iterable[str]) -> None:
    now = time.monotonic()
    for name in names:
        believed_until, ends = _full.get(name, (0.0, 0.0))
        if now < believed_until:
            raise _too_many(ends - now)


def _remember(ends: dict[str, int]) -> None:
    if len(_full) > _MAX_REMEMBERED:
        _full.clear()
    now = time.monotonic()
    for name, seconds in ends.items():
        _full[name] = (now + min(_TRUSTED_SECONDS, seconds), now + seconds)


def _too_many(seconds: float) -> TooManyRequests:
    wait = max(1, round(seconds))
    message = f"There were too many failed sign-ins for this account or from this address; try again in {wait} seconds."
    return TooManyRequests("too_many_failures", message, wait=wait)
