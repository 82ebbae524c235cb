"""Filters of the audit list; each one uses an index."""

from collections.abc import Iterator
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from typing import Any

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy

from core.admin.numbers import read_number
from core.audit.actions import actions, group_of, subjects
from core.audit.models import AuditEntry

_Entries = QuerySet[AuditEntry]


class Period(admin.ListFilter):
    """From one day to another, both inclusive; invalid dates are ignored."""

    title = gettext_lazy("time")
    template = "audit/period.html"
    parameters = ("from", "to")

    def __init__(self, request: HttpRequest, params: dict[str, Any], model: Any, model_admin: Any) -> None:
        super().__init__(request, params, model, model_admin)
        self.days: dict[str, date | None] = dict.fromkeys(self.parameters)
        for name in self.parameters:
            with suppress(ValueError):
                self.days[name] = date.fromisoformat(params.pop(name, [""])[-1].strip())

    def has_output(self) -> bool:
        return True

    def expected_parameters(self) -> list[str | None]:
        return list(self.parameters)

    def choices(self, changelist: ChangeList) -> Iterator[dict[str, Any]]:
        others = [(name, value) for name, value in changelist.params.items() if name not in (*self.parameters, "p")]
        yield {"others": others, **{name: day.isoformat() if day else "" for name, day in self.days.items()}}

    def queryset(self, request: HttpRequest, queryset: _Entries) -> _Entries:
        first, last = self.days.values()
        if first:
            queryset = queryset.filter(at__gte=datetime.combine(first, time.min))
        if last and last < date.max:
            queryset = queryset.filter(at__lt=datetime.combine(last + timedelta(days=1), time.min))
        return queryset


class GroupOfActions(admin.SimpleListFilter):
    title = gettext_lazy("subject")
    parameter_name = "group"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(name, str(label)) for name, label in subjects().items()]

    def queryset(self, request: HttpRequest, queryset: _Entries) -> _Entries:
        """Filter by listing the group's actions, since not every database serves a prefix search from the index."""
        chosen = self.value()
        return queryset.filter(action__in=_actions(chosen)) if chosen in subjects() else queryset


class OneAction(admin.SimpleListFilter):
    title = gettext_lazy("action")
    parameter_name = "action"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        chosen = request.GET.get("action", "")
        offered = _actions(request.GET.get("group") or group_of(chosen))
        return [(name, str(actions()[name])) for name in offered]

    def queryset(self, request: HttpRequest, queryset: _Entries) -> _Entries:
        return queryset.filter(action=self.value()) if self.value() in actions() else queryset


class _Numbered(admin.SimpleListFilter):
    """One actor by id, labelled by name; names can be reused, so links carry the id."""

    number, name = "", ""  # columns
    latest: tuple[str, ...] = ("-id",)  # newest first

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        chosen = request.GET.get(str(self.parameter_name), "")
        if not chosen:
            return []
        names = self._of(chosen, model_admin.get_queryset(request).order_by(*self.latest))
        return [(chosen, names.values_list(self.name, flat=True).first() or chosen)]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        chosen = self.value()
        return self._of(chosen, queryset) if chosen else queryset

    def _of(self, chosen: str, rows: QuerySet[Any]) -> QuerySet[Any]:
        number = read_number(chosen)
        return rows.none() if number is None else rows.filter(**{self.number: number})


class OneActor(_Numbered):
    title = gettext_lazy("administrator")
    parameter_name = "actor"
    number, name = "administrator_id", "actor_name"


class OneKey(_Numbered):
    title = gettext_lazy("API key")
    parameter_name = "key"
    number, name = "key_id", "key_name"


class OneObject(admin.SimpleListFilter):
    """One object, `apikeys.apikey:5`, as linked from the list and other pages; shown while in use."""

    title = gettext_lazy("object")
    parameter_name = "object"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        value = request.GET.get("object", "")
        return [(value, value)] if value else []

    def queryset(self, request: HttpRequest, queryset: _Entries) -> _Entries:
        kind, _colon, number = (self.value() or "").partition(":")
        return queryset.filter(object_type=kind, object_id=number) if kind else queryset


class KindOfActor(admin.SimpleListFilter):
    title = gettext_lazy("kind of actor")
    parameter_name = "by"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(value, str(label)) for value, label in AuditEntry.ActorKind.choices]

    def queryset(self, request: HttpRequest, queryset: _Entries) -> _Entries:
        return queryset.filter(actor_kind=self.value()) if self.value() else queryset


FILTERS = (Period, KindOfActor, GroupOfActions, OneAction, OneActor, OneKey, OneObject)
PARAMETERS = {"from", "to", "by", "group", "action", "actor", "key", "object"}


def _actions(group: str | None) -> list[str]:
    return [name for name in actions() if group_of(name) == group]
