"""Pages of long lists, without counting them."""

from functools import cached_property
from typing import Any

from django.core.paginator import Paginator

# Rows that a list counts and leads to; what lies further down is found by filters and the search.
MOST = 10_000


class BoundedPaginator(Paginator):  # type: ignore[type-arg]
    """Counts up to MOST rows, since a full count would read the whole table for each page."""

    @cached_property
    def count(self) -> int:
        return min(self._counted, MOST)

    @property
    def is_cut(self) -> bool:
        """Whether there are more rows than are counted."""
        return self._counted > MOST

    @cached_property
    def _counted(self) -> int:
        rows: Any = self.object_list
        return int(rows.order_by()[: MOST + 1].count())
