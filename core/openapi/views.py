"""Serves the OpenAPI document."""

from functools import cache
from pathlib import Path

from django.conf import settings
from django.http import HttpResponse
from rest_framework.request import Request

from core.rest.errors import JSON
from core.rest.views import OpenView

FILE = Path(__file__).with_name("openapi.json")


class DocumentView(OpenView):
    """`/openapi.json`: public, since it contains only facts from the repository, and the time zone."""

    def get(self, request: Request) -> HttpResponse:
        """Return the document that `make openapi` generated from the code."""
        return HttpResponse(_document(settings.TIME_ZONE), JSON)


@cache
def _document(time_zone: str) -> bytes:
    return FILE.read_bytes().replace(b"(CMS_TIME_ZONE)", f"(CMS_TIME_ZONE, here {time_zone})".encode(), 1)
