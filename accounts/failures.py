"""Failed sign-ins of administrators, in the audit. Those of users stand in their log.

What bounds them are the limits of accounts.attempts, since what these refuse is not noted: the failure that reaches a
limit says so. Who guesses names from very many networks is held back by nothing but the hashing, so that each process
notes a number of failures of unknown accounts and only counts the rest; those of existing accounts are always noted.
"""

import time
from dataclasses import dataclass
from threading import Lock
from typing import Any

from accounts import user_log
from accounts.attempts import Attempt
from accounts.models import Account
from cms_api import audit

SECONDS, UNKNOWN_ACCOUNTS = 15 * 60, 200


class _Allowance:
    """How many failures of unknown accounts may still be noted."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._ends, self._left, self.not_noted = 0.0, 0, 0

    def take(self) -> int | None:
        """How many were not noted before this one; None when this one is not to be noted either."""
        now = time.monotonic()
        with self._lock:
            if now >= self._ends:
                self._ends, self._left = now + SECONDS, UNKNOWN_ACCOUNTS
            if not self._left:
                self.not_noted += 1
                return None
            self._left -= 1
            not_noted, self.not_noted = self.not_noted, 0
            return not_noted


allowance = _Allowance()


@dataclass(frozen=True)
class Failure:
    """A refusal: of which account, if there is one, why, and from where."""

    account: Account | None
    is_right: bool  # the password
    attempt: Attempt  # and the limits that it has reached
    address: str

    @property
    def reason(self) -> str:
        """For operators."""
        if self.account is None:
            return "unknown_account"
        if self.attempt.is_void:
            return "too_many_failures"
        if not self.is_right:
            return "wrong_password"
        return "locked" if self.account.is_locked_out else "shut_out"


def note(action: str, failure: Failure) -> bool:
    """An entry with the reason and the limits, never with what was typed.

    False where it is only counted. Then a row is written and deleted, which is the work of an entry and the update of
    an account's counters: an unknown account costs what a known one does.
    """
    not_noted = allowance.take() if failure.account is None else 0
    if not_noted is None:
        user_log.note_nobody(failure.address)
        return False
    given: dict[str, Any] = {"limits": failure.attempt.limits, "not_noted_before": not_noted}
    details = {name: value for name, value in given.items() if value}
    audit.note(action, failure.account, reason=failure.reason, **details)
    return True
