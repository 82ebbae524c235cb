"""The figures for Prometheus: closed but for a key of the scope System, and for the token of the settings."""

import hmac
from importlib import import_module
from typing import Any

from django.conf import settings
from django.http import HttpResponse
from rest_framework.request import Request

from cms_api.lib.errors import NotFound
from cms_api.rest.views import ApiView


class MetricsView(ApiView):
    required_scope = "System"
    reads_replicas = False  # it reads no database, and the token needs none
    throttle_classes = ()  # who watches has to see most when there is most to do

    def perform_authentication(self, request: Request) -> None:
        """DRF's, unless the token is there."""
        if not _bears_token(request):
            super().perform_authentication(request)

    def check_permissions(self, request: Request) -> None:
        """DRF's, unless the token is there."""
        if not _bears_token(request):
            super().check_permissions(request)

    def get(self, request: Request) -> HttpResponse:
        """Every figure of this server, whichever of its workers answers. Raises NotFound where metrics are off."""
        if not settings.CMS_METRICS:
            raise NotFound("metrics_off", "Metrics are off: set CMS_METRICS or CMS_METRICS_TOKEN and start anew.")
        # prometheus_client is not loaded where metrics are off.
        exposition: Any = import_module("prometheus_client.exposition")
        collecting: Any = import_module("cms_api.operation.metrics.collecting")
        write, content_type = exposition.choose_encoder(request.META.get("HTTP_ACCEPT", ""))
        response = HttpResponse(write(collecting.registry()), content_type=content_type)
        response.headers["Cache-Control"] = "no-store"
        return response


def _bears_token(request: Request) -> bool:
    kind, _, token = str(request.META.get("HTTP_AUTHORIZATION", "")).partition(" ")
    expected = settings.CMS_METRICS_TOKEN
    if not expected or kind.lower() != "bearer":
        return False
    # As bytes: compare_digest takes no text beyond ASCII.
    return hmac.compare_digest(token.strip().encode("utf-8", "replace"), expected.encode())
