"""What the ranks of administrators may do (design §3).

The highest rank may do everything. A site administrator looks after the contents, channels and attributes of some
sites and sees nothing else. Others may do what their groups allow, on every site.
"""

from enum import Enum
from typing import Any


class Rank(Enum):
    """The rank of an administrator."""

    HIGHEST = "highest"
    SITES = "sites"
    ORDINARY = "ordinary"


def rank_of(user: Any) -> Rank:
    """The rank of who has signed in; a visitor counts as an ordinary administrator without groups."""
    if getattr(user, "is_superuser", False):
        return Rank.HIGHEST
    return Rank.SITES if getattr(user, "site_id_collection", "").strip() else Rank.ORDINARY


def sites_of(user: Any) -> frozenset[int] | None:
    """The sites whose records the administrator sees; None: those of every site."""
    return frozenset(user.reachable_site_ids) if rank_of(user) is Rank.SITES else None
