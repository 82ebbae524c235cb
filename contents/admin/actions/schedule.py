from collections.abc import Sequence
from functools import partial
from typing import Any

from django import forms
from django.http import HttpRequest
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext, ngettext_lazy

from contents.admin.actions.base import Pairs, reasons_input
from contents.admin.writing.schedule import TimesForm, describe_stored
from contents.models import Content, ContentSchedule
from contents.services import schedules
from contents.services.approval import levels_of, reach_of
from contents.services.schedules import TIMES
from contents.storing.locking import Seen
from core.admin.admin_actions import AdminAction, Changed, OtherOutcome
from core.lib import clock
from core.lib.errors import ServiceError


class ScheduleForm(TimesForm):
    """The times for all chosen contents; empty ones do not change."""

    reasons = reasons_input()
    remove = forms.BooleanField(label=_("Remove both times"), required=False)

    def __init__(self, request: HttpRequest, records: Sequence[Content], data: Any = None) -> None:
        super().__init__(data)
        levels = levels_of(record.site_id for record in records)
        reach = reach_of(request.user, records)
        beyond = sum(reach.at(record) < levels.get(record.site_id, 1) for record in records)
        told = ngettext(
            "%(count)d is beyond your level of approval and stays as it is.",
            "%(count)d are beyond your level of approval and stay as they are.",
            beyond,
        )
        self.note = told % {"count": beyond} if beyond else ""

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        if not self.errors and any(cleaned.get(name) for name in TIMES) is bool(cleaned.get("remove")):
            self.add_error(None, _now("Enter at least one of the times, or remove both."))
        if cleaned.get("reasons") and not cleaned.get("publish_at"):
            self.add_error("reasons", _now("Reasons belong to a time of publication; enter one."))
        if (at := cleaned.get("unpublish_at")) and at <= clock.now():
            self.add_error("unpublish_at", _now("The time to unpublish must be in the future."))
        return cleaned


def _schedule(
    request: HttpRequest, contents: Sequence[Content], *, remove: bool = False, reasons: str = "", **times: Any
) -> list[Changed | OtherOutcome | ServiceError | None]:
    given = {name: moment.replace(microsecond=0) for name, moment in times.items() if moment}
    plan = dict.fromkeys(TIMES) if remove else given
    # An approval counts for the version that was read.
    seen = [Seen(content.site_id, content.pk, content.version) for content in contents]
    results = schedules.schedule_each(seen, request.user, plan, reasons)
    # The version is the schedule's, since the content has not changed.
    stored = schedules.schedules_of(one.pk for one in results if isinstance(one, Content))
    done: list[Changed | OtherOutcome | ServiceError | None] = [
        (Changed(one.pk, stored[one.pk].version) if one.pk in stored else None) if isinstance(one, Content) else one
        for one in results
    ]
    if len(contents) == 1 and isinstance(done[0], Changed):
        return [OtherOutcome(done[0], partial(_name, contents[0].title, stored[contents[0].pk]))]
    return done


def _name(title: str, schedule: ContentSchedule, count: int) -> str:
    return describe_stored(title, schedule)


def _take_back(request: HttpRequest, pairs: Pairs) -> list[Content | ServiceError]:
    seen = [Seen(content.site_id, content.pk) for content, _version in pairs]
    return schedules.take_back_schedules(seen, {content.pk: version for content, version in pairs}, request.user)


SCHEDULE = AdminAction(
    "schedule",
    _("Schedule…"),
    ngettext_lazy(
        "When will %(count)d content item be published or unpublished?",
        "When will %(count)d content items be published or unpublished?",
        "count",
    ),
    ngettext_lazy(
        "The schedule of %(count)d content item was stored.",
        "The schedules of %(count)d content items were stored.",
        "count",
    ),
    _schedule,
    right="approve",
    form=ScheduleForm,
    take_back=_take_back,
    at_once=True,
)
SCHEDULE_ACTS: tuple[AdminAction, ...] = (SCHEDULE,)
