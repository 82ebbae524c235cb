"""The times of publication and withdrawal beside the form of a content."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, cast

from django import forms
from django.http import QueryDict
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from channels_app.models import Channel
from contents.admin.fields import MomentInput
from contents.models import Content, ContentSchedule
from contents.services.approval import ApprovalState, may_publish_in
from contents.services.schedules import TIMES, Plan, schedule_each, schedules_of
from contents.storing.locking import Seen, only
from core.admin.error_messages import tell
from core.admin.formatting import format_date_time
from core.lib import clock
from core.lib.errors import ServiceError
from core.rest.fields import read_date_time

_BY_MEMBER = {wire: name for name, wire in TIMES.items()}


def publish_input(help_text: Any = "") -> forms.DateTimeField:
    return forms.DateTimeField(label=_("Publish on"), required=False, widget=MomentInput(), help_text=help_text)


def unpublish_input() -> forms.DateTimeField:
    return forms.DateTimeField(label=_("Unpublish on"), required=False, widget=MomentInput())


class PublicationForm(forms.Form):
    """The time in a decision, which approves for then."""

    publish_at = publish_input()

    def clean_publish_at(self) -> datetime:
        if not (moment := self.cleaned_data["publish_at"]):
            raise forms.ValidationError(_now("Enter the time of publication."))
        return cast("datetime", moment).replace(microsecond=0)


def time_form(user: Any, content: Content) -> PublicationForm | None:
    """Return the form for those who may give final approval."""
    may_change = may_publish_in(content.channel, user)
    return PublicationForm(label_suffix="", use_required_attribute=False) if may_change else None


class TimesForm(forms.Form):
    """Both times; the second must be later."""

    publish_at = publish_input(_("Gives final approval at this time. A past time approves at once."))
    unpublish_at = unpublish_input()

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        publish_at, unpublish_at = cleaned.get("publish_at"), cleaned.get("unpublish_at")
        if publish_at and unpublish_at and unpublish_at <= publish_at:
            self.add_error("unpublish_at", _now("The time to unpublish must be later than the time to publish."))
        return cleaned


class ScheduleForm(TimesForm):
    """The times in the form of a content, for those who may give final approval; others see them.

    `seen_times` has the times that the page showed: only times that the administrator has changed are stored.
    """

    seen_times = forms.CharField(required=False, max_length=60, widget=forms.HiddenInput)

    def __init__(self, user: Any, channel: Channel, content_id: int | None, data: Any = None) -> None:
        self._user, self._channel, self._content_id = user, channel, content_id
        self.stored = schedules_of([content_id]).get(content_id) if content_id else None
        self.may_change = may_publish_in(channel, user)
        shown = self._stored_times() if data is None else {}
        super().__init__(
            data if self.may_change else None,
            initial=shown | {"seen_times": _as_text(shown)},
            label_suffix="",
            use_required_attribute=False,
        )

    def is_valid(self) -> bool:
        return not self.may_change or super().is_valid()

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        seen = _from_text(cleaned.get("seen_times", ""))
        self._plan: Plan = {
            name: moment and moment.replace(microsecond=0)
            for name in TIMES
            if (moment := cleaned.get(name)) != seen[name] and name not in self.errors
        }
        stored = self._stored_times()
        for name, moment in self._plan.items():
            if stored[name] not in {seen[name], moment}:
                told = _now("This has changed since you opened the page; it is now: %(time)s. Check it and save again.")
                self.add_error(name, told % {"time": format_date_time(stored[name]) or "–"})
                # The next attempt replaces it.
                data = cast("QueryDict", self.data).copy()
                data["seen_times"] = _as_text(stored)
                self.data = data
        if (at := self._plan.get("unpublish_at")) and at <= clock.now():
            self.add_error("unpublish_at", _now("The time to unpublish must be in the future."))
        return cleaned

    def renewed(self) -> "ScheduleForm":
        """The form for a content that others have changed, with the times that the administrator has typed."""
        form = ScheduleForm(self._user, self._channel, self._content_id)
        form.initial.update(getattr(self, "_plan", {}))
        return form

    def store(self, content_id: int) -> str:
        """Store the changes; return a message, "" without changes. Raises ServiceError."""
        plan: Plan = getattr(self, "_plan", {})
        if not self.may_change or not plan:
            return ""
        # The form shows the draft of a content that has one.
        changed = schedule_each([Seen(self._channel.site_id, content_id)], self._user, plan, of_draft=True)
        return describe_with_week(schedules_of([content_id]).get(content_id)) if only(changed) else ""

    def show_refusal(self, refusal: ServiceError) -> bool:
        """Show the refusal beside its input; return False if it is about something else."""
        name = _BY_MEMBER.get(str(refusal.members.get("member", "")))
        if name is not None:
            self.add_error(name, tell(refusal))
        return name is not None

    def _stored_times(self) -> dict[str, datetime | None]:
        return {name: getattr(self.stored, name, None) for name in TIMES}


def describe(schedule: ContentSchedule | None) -> str:
    """Return the planned events, such as `Will be published: 2026-11-27 08:00`."""
    return " · ".join(describe_times(schedule))


def describe_with_week(schedule: ContentSchedule | None) -> SafeString | str:
    """Return the planned events, and a link to the week of the first; scripts open it in a dialog."""
    at = schedule and (schedule.publish_at or schedule.unpublish_at)
    if not at:
        return describe(schedule)
    address = f"{reverse('admin:contents_content_calendar')}?week={at:%Y-%m-%d}"
    link = '{} <a href="{}" data-dialog=".calendar">{}</a>'
    return format_html(link, describe(schedule), address, _now("Show the week"))


def describe_times(schedule: ContentSchedule | None, *, without_state: bool = False) -> list[str]:
    """Return the planned events one by one; `without_state` those that `describe_state` does not name."""
    if schedule is None:
        return []
    told = {
        "publish_at": _now("Will be published: %(time)s"),
        "unpublish_at": _now("Will be unpublished: %(time)s"),
    }
    if without_state and is_approved_for_time(schedule):
        del told["publish_at"]
    planned = [
        words % {"time": format_date_time(at)} for name, words in told.items() if (at := getattr(schedule, name))
    ]
    if schedule.failure:
        planned.append(_now("Failed: %(reason)s") % {"reason": schedule.failure})
    return planned


def describe_stored(title: str, schedule: ContentSchedule) -> str:
    """Return the message for the administrator who set the times."""
    is_approval = is_approved_for_time(schedule)
    told = _now("“%(title)s” was approved.") if is_approval else _now("The schedule of “%(title)s” was stored.")
    return format_html("{} {}", told % {"title": title}, describe_with_week(schedule))


def describe_state(state: ApprovalState, schedule: ContentSchedule | None) -> str:
    """Return the state of a content or draft: `Approved; will be published on 2026-11-27 08:00`."""
    if schedule is None or not is_approved_for_time(schedule):
        return str(state)
    return _now("Approved; will be published on %(time)s") % {"time": format_date_time(schedule.publish_at)}


def is_approved_for_time(schedule: ContentSchedule | None) -> bool:
    return schedule is not None and schedule.publish_at is not None and not schedule.failure


def _as_text(times: Mapping[str, datetime | None]) -> str:
    return "|".join(moment.isoformat(" ") if (moment := times.get(name)) else "" for name in TIMES)


def _from_text(text: str) -> dict[str, datetime | None]:
    found: dict[str, datetime | None] = dict.fromkeys(TIMES)
    for name, part in zip(TIMES, text.split("|"), strict=False):
        try:
            found[name] = read_date_time(part, name)
        except ServiceError:
            found[name] = None
    return found
