"""Who moved records to the trash, as the audit tells; nobody where its entry has been forgotten."""

from collections.abc import Iterable
from typing import Any

from django.db.models import Count, QuerySet

from channels_app.models import Channel
from cms_api.back_end.audit.telling import tell_actor
from cms_api.models import AuditEntry
from contents.models import Content

_ACTS = {"channels_app.channel": "channel.trashed", "contents.content": "content.trashed"}


def note_who_deleted(records: Iterable[Any], *, with_account: bool) -> None:
    """Give each of the records in the trash a `deleted_by`, in words. A statement for each kind of object."""
    by_object = {record: _deleted_object(record) for record in records}
    names: dict[tuple[str, str], str] = {}
    for kind, action in _ACTS.items():
        numbers = {number for of_kind, number in by_object.values() if of_kind == kind}
        if numbers:
            entries = AuditEntry.objects.filter(object_type=kind, object_id__in=numbers, action=action)
            # The last deletion counts: what came back may have been deleted again.
            found = entries.order_by("pk")
            names |= {(kind, entry.object_id): tell_actor(entry, with_account=with_account) for entry in found}
    for record, deleted in by_object.items():
        record.deleted_by = names.get(deleted, "")


def note_companions(contents: Iterable[Any]) -> None:
    """Give each of the contents its `deleted_with`: the channel that took it along, or None. One statement."""
    contents = list(contents)
    channels = Channel.objects.only("channel_name").in_bulk(
        {content.trashed_with_id for content in contents if content.trashed_with_id}
    )
    for content in contents:
        content.deleted_with = channels.get(content.trashed_with_id)


def note_size(channels: Iterable[Any]) -> None:
    """Give each of the deleted channels its `size`: how many channels and contents it took along. Two statements."""
    channels = list(channels)
    numbers = [channel.pk for channel in channels]
    sizes = [_count(model.objects.all(), numbers) for model in (Channel, Content)]
    for channel in channels:
        channel.size = tuple(size.get(channel.pk, 0) for size in sizes)


def _count(rows: QuerySet[Any], numbers: list[int]) -> dict[int, int]:
    gone = rows.filter(trashed_with_id__in=numbers, trashed_at__isnull=False).order_by()
    return dict(gone.values_list("trashed_with_id").annotate(number=Count("pk")))


def _deleted_object(record: Any) -> tuple[str, str]:
    """What was deleted itself: the record, or the channel that took it along."""
    if record.trashed_with_id is not None:
        return "channels_app.channel", str(record.trashed_with_id)
    kind = Content if isinstance(record, Content) else Channel
    return kind._meta.label_lower, str(record.pk)
