"""Serves the OpenAPI document."""

from functools import cache
from pathlib import Path

from django.http import HttpResponse
from rest_framework.request import Request

from cms_api.rest.errors import JSON
from cms_api.rest.views import OpenView

FILE = Path(__file__).with_name("openapi.json")


class DocumentView(OpenView):
    """`/openapi.json`: public, since it contains only what is in the repository."""

    def get(self, request: Request) -> HttpResponse:
        """Return the document that `make openapi` generated from the code."""
        return HttpResponse(_document(), JSON)


@cache
def _document() -> bytes:
    return FILE.read_bytes()
