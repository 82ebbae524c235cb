"""Contents that refer to others, which may come later and have other ids here."""

from collections import defaultdict

from contents.models import Content
from migration import records
from migration.context import Context

_AT_A_TIME = 1000


class References:
    """Collects references of contents, and writes them once all contents are stored.

    A content is named by a channel and the id that it has in the table of that channel.
    """

    def __init__(self, context: Context) -> None:
        self._context = context
        self._tables: dict[int, str] = {}  # by channel
        self._waiting: list[tuple[int, int, int, str]] = []

    def place(self, channel_id: int, table: str) -> None:
        """Note the table of the channel's contents."""
        self._tables.setdefault(channel_id, table)

    def add(self, table: str, pk: int, refers_to: tuple[int, int]) -> None:
        """Note the reference of the content with this id here, of the table: a channel and an id, or zeros."""
        channel_id, source_id = refers_to
        if source_id:
            self._waiting.append((pk, channel_id, source_id, table))

    def resolve(self) -> None:
        """Store the references of contents that have none yet, also from an interrupted run."""
        by_table: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for pk, channel_id, source_id, own in self._waiting:
            by_table[self._tables.get(channel_id, own)].append((pk, source_id))
        for table, pairs in by_table.items():
            found = records.find(table, {source_id for _pk, source_id in pairs})
            without = _without_reference([pk for pk, _source_id in pairs])
            contents = [
                Content(pk=pk, reference_id=found[one].target_id) for pk, one in pairs if one in found and pk in without
            ]
            Content.objects.bulk_update(contents, ["reference_id"], batch_size=_AT_A_TIME)
            for pk, source_id in pairs:
                if source_id not in found:
                    told = "A content refers to one that does not exist; it refers to none now."
                    self._context.report.find(told, f"content {pk} here", f"{table} {source_id}")


def _without_reference(ids: list[int]) -> set[int]:
    parts = (ids[start : start + _AT_A_TIME] for start in range(0, len(ids), _AT_A_TIME))
    found = (Content.objects.filter(pk__in=part, reference_id=0).values_list("pk", flat=True) for part in parts)
    return {pk for part in found for pk in part}
