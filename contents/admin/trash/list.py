"""The list of the trash: read within its time limit, with what the audit tells of each row."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib.admin import SimpleListFilter
from django.contrib.admin.views.main import ChangeList
from django.db import connection
from django.db.models import CharField, Count, Model, OuterRef, QuerySet, Subquery
from django.db.models.functions import Cast
from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from channels_app.models import Channel
from cms_api.audit.admin.telling import tell_actor
from cms_api.audit.models import AuditEntry
from cms_api.lib import clock
from cms_api.lib.statement_limit import TooSlow, statement_limit
from contents.models import Content

_ACTS: dict[type[Model], str] = {Channel: "channel.trashed", Content: "content.trashed"}
_PERIODS: dict[str, tuple[str | Promise, timedelta]] = {
    "day": (_("in the last 24 hours"), timedelta(days=1)),
    "week": (_("in the last 7 days"), timedelta(days=7)),
    "month": (_("in the last 30 days"), timedelta(days=30)),
}


class TrashList(ChangeList):
    """Rows are read at once; where finding them takes too long the list is empty and `is_slow`."""

    is_slow = False

    def get_results(self, request: HttpRequest) -> None:
        try:
            with statement_limit(connection, settings.CMS_STATEMENT_SECONDS):
                super().get_results(request)
                self.result_list = list(self.result_list)
        except TooSlow:
            self.is_slow, self.queryset = True, self.queryset.none()
            super().get_results(request)
            self.result_list = []
        self.show_admin_actions = bool(self.result_list)


class DeletedFilter(SimpleListFilter):
    """What was moved to the trash lately."""

    title = _("deleted")
    parameter_name = "deleted"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [(name, words) for name, (words, _period) in _PERIODS.items()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() not in _PERIODS:
            return queryset
        return queryset.filter(trashed_at__gte=clock.now() - _PERIODS[str(self.value())][1])


# ---- what the audit tells of a row; nothing where its entry has been forgotten


def note_who_deleted(records: Iterable[Any], *, with_account: bool) -> None:
    """Give each of the records in the trash a `deleted_by`, in words. One statement."""
    deleted = {record: _deleted_object(record) for record in records}
    contents, channels = (
        _last_deletions(model, {pk for of_model, pk in deleted.values() if of_model is model})
        for model in (Content, Channel)
    )
    entries = AuditEntry.objects.filter(pk__in=contents.union(channels, all=True))
    names = {(each.object_type, each.object_id): tell_actor(each, with_account=with_account) for each in entries}
    for record, (model, pk) in deleted.items():
        record.deleted_by = names.get((model._meta.label_lower, str(pk)), "")


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


def _last_deletions(model: type[Model], numbers: set[int]) -> QuerySet[Any]:
    """The number of the last entry that tells of a deletion of each record: it may have come back before."""
    # By one step in an index for each record, however often it was deleted.
    of_record = {"object_type": model._meta.label_lower, "object_id": Cast(OuterRef("pk"), CharField())}
    entries = AuditEntry.objects.filter(**of_record, action=_ACTS[model]).order_by("-pk")
    rows = model._default_manager.filter(pk__in=numbers).order_by()
    last: QuerySet[Any] = rows.annotate(entry=Subquery(entries.values("pk")[:1])).values_list("entry", flat=True)
    return last


def _deleted_object(record: Any) -> tuple[type[Model], int]:
    """What was deleted itself: the record, or the channel that took it along."""
    if record.trashed_with_id is not None:
        return Channel, record.trashed_with_id
    return (Content if isinstance(record, Content) else Channel), record.pk
