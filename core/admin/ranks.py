"""The highest rank may do everything, site administrators work on their sites only, others depend on groups."""

from enum import Enum
from typing import Any


class Rank(Enum):
    HIGHEST = "highest"
    SITES = "sites"
    ORDINARY = "ordinary"


def rank_of(user: Any) -> Rank:
    """Return the user's rank; a visitor counts as an ordinary administrator without groups."""
    if getattr(user, "is_superuser", False):
        return Rank.HIGHEST
    return Rank.SITES if getattr(user, "site_id_collection", "").strip() else Rank.ORDINARY
