"""Schedules of publication: members of contents in requests, and endpoints of their own."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet
from django.http import HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response

from contents.api.former_ids import FormerIdsView
from contents.lists.detail import raise_missing
from contents.models import Content, ContentSchedule, CustomField
from contents.services.schedules import TIMES, Plan, schedules_of, store_plans
from contents.storing.locking import lock_content
from core.lib import clock
from core.rest.conditional import compare
from core.rest.fields import DateTimeField
from core.rest.filters import FromFilter, ToFilter
from core.rest.names import raise_if_two_spellings
from core.rest.pagination import PagedList
from core.rest.serializers import Members, WireSerializer
from core.rest.views import ApiView
from sites.models import require_site


class PlanSerializer(WireSerializer):
    """The times that a body of a content may have in addition to its members."""

    publish_at = DateTimeField(
        required=False,
        allow_null=True,
        help_text="Time of final approval; until then the content is not approved or, with isDraft, the draft is not "
        "public. A past time approves at once, and null removes it. It also ends if someone without final approval "
        "changes the text before. Default: none.",
    )
    unpublish_at = DateTimeField(
        required=False,
        allow_null=True,
        help_text="Time of withdrawing the approval, later than publishAt and in the future; null removes it. "
        "Default: none.",
    )


class PlanReader:
    """Takes the times out of bodies; a site's custom field of the same name is an ordinary member."""

    def __init__(self, site_id: int) -> None:
        self._site_id = site_id
        self._fields: frozenset[str] | None = None

    def read(self, body: Mapping[str, Any], members: Members) -> Plan:
        """Return the times in the body and remove them from the members. Raises InvalidInput.

        A past publishAt becomes isChecked.
        """
        plan: dict[str, datetime | None] = {}
        for name, value in body.items():
            attribute = TIME_NAMES.get(name.casefold())
            if attribute is None or name.casefold() in self._custom_fields:
                continue
            members.unknown.pop(name, None)
            field: Any = PlanSerializer.field_table()[attribute]
            plan[attribute] = None if value is None else field.read(value, name)
        moment = plan.get("publish_at")
        if moment is not None and moment <= clock.now():
            members.values.update(is_checked=True, checked_level=0)
            plan["publish_at"] = None
        return plan

    @property
    def _custom_fields(self) -> frozenset[str]:
        if self._fields is None:
            rows = CustomField.objects.filter(site_id=self._site_id, folded_name__in=list(TIME_NAMES))
            self._fields = frozenset(rows.values_list("folded_name", flat=True))
        return self._fields


TIME_NAMES = {wire.casefold(): name for name, wire in TIMES.items()}


class ScheduleView(FormerIdsView):
    """`/contents/{siteId}/{channelId}/{id}/schedule`"""

    required_scope = "Contents"

    def get(self, request: Request, **place: int) -> Response:
        _require_content(**place)
        shown = _show(schedules_of([place["content_id"]]).get(place["content_id"]))
        compare(request, "schedule", shown)
        return Response(shown)

    @transaction.atomic
    def delete(self, request: Request, site_id: int, channel_id: int, content_id: int) -> Response:
        content = lock_content(site_id, content_id, channel_id=channel_id)
        shown = _show(schedules_of([content_id]).get(content_id))
        store_plans([(content, dict.fromkeys(TIMES))])
        return Response(shown)


class SchedulesView(ApiView):
    """`GET /contents/{siteId}/schedules`"""

    required_scope = "Contents"

    def get(self, request: Request, site_id: int) -> HttpResponseBase:
        require_site(site_id)
        rows = _in_period(request, ContentSchedule.objects.filter(site_id=site_id, content__trashed_at=None))
        return PagedList(request, rows.values_list(*_COLUMNS), _show_listed).answer()


_COLUMNS = ("content_id", "content__channel_id", "content__title", *TIMES, "actor_name", "failure")
_BOUNDS = {"from": FromFilter("").read, "to": ToFilter("").read}


def _in_period(request: Request, rows: QuerySet[ContentSchedule]) -> QuerySet[ContentSchedule]:
    """The schedules with a time within the bounds of the query. Raises InvalidInput."""
    sent = {name: text for name, text in request.query_params.items() if name.casefold() in _BOUNDS}
    raise_if_two_spellings(sent)
    bounds = {name.casefold(): _BOUNDS[name.casefold()](str(text), name) for name, text in sent.items() if text}
    if not bounds:
        return rows
    lookups = {"from": "gte", "to": "lte"}
    within = [Q(**{f"{name}__{lookups[bound]}": at for bound, at in bounds.items()}) for name in TIMES]
    return rows.filter(within[0] | within[1])


def _show(schedule: ContentSchedule | None) -> dict[str, Any]:
    if schedule is None:
        return {**dict.fromkeys(TIMES.values()), "scheduledBy": None, "failure": None}
    return _show_times(schedule.publish_at, schedule.unpublish_at, schedule.actor_name, schedule.failure)


def _show_listed(row: tuple[Any, ...]) -> dict[str, Any]:
    number, channel_id, title, *rest = row
    return {"id": number, "channelId": channel_id, "title": title, **_show_times(*rest)}


def _show_times(
    publish_at: datetime | None, unpublish_at: datetime | None, actor_name: str, failure: str
) -> dict[str, Any]:
    moments = zip(TIMES.values(), (publish_at, unpublish_at), strict=True)
    shown = {name: moment and moment.isoformat(" ", "seconds") for name, moment in moments}
    return {**shown, "scheduledBy": actor_name or None, "failure": failure or None}


def _require_content(site_id: int, channel_id: int, content_id: int) -> None:
    if not Content.objects.in_channel(site_id, channel_id).filter(pk=content_id).exists():
        raise_missing(site_id, channel_id, content_id)
