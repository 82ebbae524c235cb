from functools import cached_property
from typing import Any

from django.core.paginator import Paginator

# Rows that a list counts and pages through; filters and the search find the rest.
MAX = 10_000


class BoundedPaginator(Paginator):  # type: ignore[type-arg]
    """Counts up to MAX rows, since a full count would read the whole table for each page."""

    @cached_property
    def count(self) -> int:
        return min(self._counted, MAX)

    @property
    def is_cut(self) -> bool:
        return self._counted > MAX

    @cached_property
    def _counted(self) -> int:
        rows: Any = self.object_list
        return int(rows.order_by()[: MAX + 1].count())
