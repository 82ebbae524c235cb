"""The custom fields of a site: names and how they are described, for importers and typed clients."""

from typing import Any

from django.http import HttpResponseBase
from rest_framework.request import Request

from contents.services.fields import describable_fields, options_of
from core.rest.pagination import PagedList
from core.rest.views import ApiView
from sites.models import require_site

_COLUMNS = ("id", "name", "label", "kind", "choices", "help_text", "taxis", "is_offered")


class FieldsView(ApiView):
    """`GET /sites/{siteId}/fields`"""

    required_scope = "Contents"

    def get(self, request: Request, site_id: int) -> HttpResponseBase:
        require_site(site_id)
        return PagedList(request, describable_fields(site_id).values_list(*_COLUMNS), _show).answer()


def _show(row: tuple[Any, ...]) -> dict[str, Any]:
    _, name, label, kind, choices, help_text, taxis, is_offered = row
    return {
        "name": name,
        "label": label,
        "kind": kind,
        "options": options_of(choices),
        "helpText": help_text,
        "taxis": taxis,
        "isOffered": is_offered,
    }
