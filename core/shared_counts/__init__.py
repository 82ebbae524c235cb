"""Short-lived counts shared by all processes and nodes: attempts, and single-use items.

In Redis, else in the database; there they restart at zero while Redis is down, so nothing may rely on them for long. In
the database they belong to the current transaction: counts that must survive a rollback belong outside one, where
additions do
not wait for the disk (the latest may be lost in a crash).
"""

import hashlib
import math
from collections.abc import Iterable
from dataclasses import dataclass

from core.shared_counts import in_database, in_redis
from core.shared_counts.in_redis import NoAnswer


@dataclass(frozen=True, slots=True)
class Count:
    """A count, and the seconds until it is forgotten: at least 1, rounded up."""

    number: int
    seconds_left: int

    @classmethod
    def until(cls, number: int, seconds: float) -> "Count":
        # Rounded to milliseconds, the resolution of database clocks; smaller fractions are calculation errors.
        return cls(number, max(1, math.ceil(round(seconds, 3))))


def add(names: Iterable[str], *, seconds: int) -> dict[str, Count]:
    """Increment each name atomically; a count is forgotten `seconds` after its first addition."""
    keys = {name: _key(name) for name in names}
    if not keys:
        return {}
    ordered = sorted(keys.values())
    try:
        counts = in_redis.add(ordered, seconds)
    except NoAnswer:
        counts = in_database.add(ordered, seconds)
    return {name: Count.until(*counts[key]) for name, key in keys.items()}


def take_back(names: Iterable[str]) -> None:
    """Undo one addition to each name that is not forgotten; the expiry stays."""
    if keys := sorted({_key(name) for name in names}):
        try:
            in_redis.take_back(keys)
        except NoAnswer:
            in_database.take_back(keys)


def forget(names: Iterable[str]) -> None:
    """Forget the counts immediately, including those counted in the database while Redis was down."""
    if keys := sorted({_key(name) for name in names}):
        in_database.forget(keys)
        in_redis.forget(keys)


def _key(name: str) -> str:
    # Hashed, since names may hold addresses and typed text; surrogates cannot be encoded strictly.
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
