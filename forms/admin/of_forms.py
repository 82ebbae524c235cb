from collections.abc import Iterator
from typing import Any

from django.db.models import Model, QuerySet
from django.http import HttpRequest

from core.admin.pages import BaseModelAdmin
from forms.models import Form
from forms.rights import is_for, of_groups, path_of


class OfForms(BaseModelAdmin):
    """A page of records of forms, whose channels and groups decide who sees them."""

    form_lookup = ""  # from the record to its form; "" for forms

    def in_seen_places(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return super().in_seen_places(request, queryset).filter(of_groups(request.user, self.form_lookup))

    def in_places(self, request: HttpRequest, queryset: QuerySet[Any], *actions: str) -> QuerySet[Any]:
        return super().in_places(request, queryset, *actions).filter(of_groups(request.user, self.form_lookup))

    def allows(self, request: HttpRequest, action: str, record: Model | None = None) -> bool:
        is_allowed = super().allows(request, action, record)
        return is_allowed and (record is None or is_for(request.user, self._form_of(record)))

    def _channel_path(self, record: Model) -> Iterator[int]:
        yield from path_of(self._form_of(record))

    def _form_of(self, record: Any) -> Form:
        form: Form = record.form if self.form_lookup else record
        return form
