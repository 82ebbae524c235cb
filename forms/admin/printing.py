"""Entries on a bare page for paper."""

from typing import Any, NamedTuple

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.functional import Promise
from django.utils.translation import gettext as _now
from django.utils.translation import pgettext_lazy

from core.admin.views import address_of, render_page, seen_record
from forms.models import Entry

MAX = 500  # entries on the page


class _Button(NamedTuple):
    name: str
    label: Promise


PRINT = _Button("print", pgettext_lazy("on paper", "Print"))


def print_view(page: Any, request: HttpRequest, pk: int) -> HttpResponse:
    entry = seen_record(page, request, pk)
    return _printed(page, request, [entry], address_of(page, "change", pk))


def print_chosen(page: Any, request: HttpRequest, queryset: QuerySet[Entry]) -> HttpResponse:
    """Print the chosen entries of the list, the first MAX."""
    return _printed(page, request, list(queryset.select_related("form")[:MAX]), request.get_full_path())


def _printed(page: Any, request: HttpRequest, entries: list[Entry], back: str) -> HttpResponse:
    form = entries[0].form if entries else None
    fields = list(form.fields.all()) if form else []
    shown = [(entry, page.shown_values(entry, fields)) for entry in entries]
    title = form.name if form else _now("Nothing is chosen.")
    return render_page(page, request, "forms/print.html", {"title": title, "entries": shown, "back": back})
