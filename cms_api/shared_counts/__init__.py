"""Counts that all processes and nodes keep together for a while: attempts, and what may be used only once.

They stand in Redis where CMS_CACHE_URL names a Redis server that answers, else in the database. While Redis does not
answer, counts begin anew in the database, so nothing that has to hold for longer than a while may rest on them. In
the database they belong to the transaction that they are counted in: what must survive a failure is counted outside,
where additions do not wait for the disk. The last of them may be lost with the machine.
"""

import hashlib
from collections.abc import Iterable

from cms_api.shared_counts import in_database, in_redis
from cms_api.shared_counts.count import Count
from cms_api.shared_counts.in_redis import NoAnswer

__all__ = ["Count", "add", "forget", "take_back"]


def add(names: Iterable[str], *, seconds: int) -> dict[str, Count]:
    """Count each name once more, atomically, and return the new counts by name.

    A count begins with its first addition and is forgotten `seconds` later, whatever is added meanwhile. A name that
    is given twice is counted once.
    """
    keys = {name: _key(name) for name in names}
    if not keys:
        return {}
    ordered = sorted(keys.values())
    try:
        counts = in_redis.add(ordered, seconds)
    except NoAnswer:
        counts = in_database.add(ordered, seconds)
    return {name: counts[key] for name, key in keys.items()}


def take_back(names: Iterable[str]) -> None:
    """Undo one addition to each name, unless its count is forgotten already. The end of the count stays."""
    if keys := sorted({_key(name) for name in names}):
        try:
            in_redis.take_back(keys)
        except NoAnswer:
            in_database.take_back(keys)


def forget(names: Iterable[str]) -> None:
    """Forget the counts of the names at once, those included that were kept while Redis did not answer."""
    if keys := sorted({_key(name) for name in names}):
        in_database.forget(keys)
        in_redis.forget(keys)


def _key(name: str) -> str:
    # Names may hold addresses and what people typed: nothing readable is kept. Surrogates cannot be encoded strictly.
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
