"""Publishes and withdraws contents at their time: `apply_due` is called every second on each node."""

import logging
from collections.abc import Sequence
from datetime import timedelta

from django.db import InterfaceError, OperationalError, connection, transaction
from django.db.models import QuerySet

from channels_app.services import hold_contents
from contents.models import Content, ContentSchedule
from contents.services.schedules import actor_of, do_what_is_due, due_at
from contents.storing.batches import LONG
from core import audit
from core.lib import clock
from core.lib.errors import ServiceError

BATCH = 100  # contents per transaction, so that other writers wait only briefly
_LATE = timedelta(minutes=1)
_MAX_AT_ONCE = 20_000  # per call; the next call continues
logger = logging.getLogger(__name__)


def apply_due() -> int:
    """Carry out due schedules, also after a downtime; return their number.

    Several nodes may call it concurrently: each content is claimed by its row lock, and acted on in the transaction
    that
    clears its time. A content that another transaction has locked follows with the next call.
    """
    by_site: dict[int, list[int]] = {}
    for site_id, number in due_at(clock.now()).values_list("site_id", "content_id")[:_MAX_AT_ONCE]:
        by_site.setdefault(site_id, []).append(number)
    return sum(
        _apply(site_id, numbers[start : start + BATCH])
        for site_id, numbers in by_site.items()
        for start in range(0, len(numbers), BATCH)
    )


def overdue() -> QuerySet[ContentSchedule]:
    return due_at(clock.now() - _LATE)


def _apply(site_id: int, numbers: Sequence[int]) -> int:
    try:
        return _apply_together(site_id, numbers)
    except Exception as error:
        _raise_if_cut_off(error)
        if len(numbers) > 1:
            return sum(_apply(site_id, [number]) for number in numbers)
        told = "The schedule of content %s could not be applied"
        if isinstance(error, OperationalError):  # the database may be busy, and the next call succeed
            logger.warning(f"{told}; it is tried again: %s.", numbers[0], type(error).__name__)
        else:
            logger.exception(f"{told}.", numbers[0])
            _mark_failed(site_id, numbers[0], error)
        return 0


@transaction.atomic
def _apply_together(site_id: int, numbers: Sequence[int]) -> int:
    hold_contents(site_id)
    contents = Content.objects.filter(site_id=site_id, pk__in=numbers).defer(*LONG).order_by("pk")
    # Also contents in the trash, whose schedules end.
    return do_what_is_due(list(contents.select_for_update(skip_locked=True)))


def _raise_if_cut_off(error: Exception) -> None:
    if isinstance(error, InterfaceError) or not connection.is_usable():
        raise error


@transaction.atomic
def _mark_failed(site_id: int, number: int, error: Exception) -> None:
    content = Content.objects.defer(*LONG).select_for_update().filter(site_id=site_id, pk=number).first()
    schedule = ContentSchedule.objects.filter(pk=number).first()
    if content is None or schedule is None:
        return
    # Errors of the database may quote values.
    schedule.failure = (error.message if isinstance(error, ServiceError) else type(error).__name__)[:255]
    schedule.save(update_fields=["failure"])
    actor = actor_of(schedule)
    audit.record("content.schedule_failed", content, site_id=site_id, actor=actor, reason=schedule.failure)
