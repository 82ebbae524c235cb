"""The choice of places for groups."""

from collections.abc import Collection
from typing import Any

from django.db.models import Q
from django.http import Http404, HttpRequest, JsonResponse
from django.utils.translation import gettext as _

from accounts.place_names import channel_names, live_channels
from core.admin.numbers import read_number

_MAX_FOUND = 20


def branch_choices(numbers: Collection[int]) -> list[tuple[int, str]]:
    names = channel_names(numbers)
    told = ((number, names.get(number) or _("deleted channel %(number)d") % {"number": number}) for number in numbers)
    return sorted(told, key=lambda choice: choice[1])


def find_view(page: Any, request: HttpRequest) -> JsonResponse:
    """Return as JSON the channels with the words of `q` in their name, or with that number."""
    if not page.has_view_permission(request):
        raise Http404
    words = request.GET.get("q", "").replace("\0", "").strip()
    wanted = Q(channel_name__icontains=words)
    if (number := read_number(words)) is not None:
        wanted |= Q(pk=number)
    rows = live_channels().filter(wanted).order_by("site", "taxis") if words else live_channels().none()
    names = channel_names(found := list(rows.values_list("pk", flat=True)[:_MAX_FOUND]))
    return JsonResponse({"found": [{"id": pk, "name": names[pk]} for pk in found if pk in names]})
