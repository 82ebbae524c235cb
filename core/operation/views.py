import hmac
from contextlib import suppress
from http import HTTPStatus
from importlib import import_module
from ipaddress import ip_address
from typing import Any, cast

from django.conf import settings
from django.db import Error
from django.http import HttpResponse
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.settings import api_settings

from core.lib.client_address import came_through_proxy, client_address
from core.lib.errors import NotFound, ServiceError
from core.operation.health import HealthState, Verdict, verdict
from core.operation.nodes import is_possible, record_order
from core.rest.errors import HttpError
from core.rest.views import ApiView, OpenView

_FORWARDED = ("HTTP_X_FORWARDED_FOR", "HTTP_X_REAL_IP", "HTTP_FORWARDED", "HTTP_VIA")


class RestartView(ApiView):
    required_scope = "System"
    stores_by_itself = True  # no response is stored if nothing was ordered: the next attempt may succeed

    def post(self, request: Request) -> Any:
        return self.store(self._order) if is_possible() else Response(False)

    @staticmethod
    def _order() -> Response:
        record_order()
        return Response(True)


class NotReady(HttpError):
    status_code = HTTPStatus.SERVICE_UNAVAILABLE


class HealthView(OpenView):
    def finalize_response(self, request: Any, response: Any, *args: Any, **kwargs: Any) -> Any:
        response = super().finalize_response(request, response, *args, **kwargs)
        response.headers["Cache-Control"] = "no-store"
        response._has_been_logged = True  # a probe every second must not add a log line each time
        return response


class LiveView(HealthView):
    def get(self, request: Request) -> Response:
        return Response({"status": "live", "timeZone": settings.TIME_ZONE})


class ReadyView(HealthView):
    required_scope = "System"  # to see details

    def get(self, request: Request) -> Response:
        """Respond `{"status": "ready"}`, or with details possibly "degraded". Raises `NotReady`."""
        found = verdict()
        shown = ("name", "state", "milliseconds", "message")
        details: dict[str, Any] = {}
        if self._may_see_details(request, found):
            details["probes"] = [{name: getattr(look, name) for name in shown} for look in found.looks]
        if found.state is HealthState.FAILED:
            raise NotReady("not_ready", "This server is not ready.", **details)
        status = "degraded" if details and found.state is HealthState.DEGRADED else "ready"
        return Response({"status": status, **details})

    def _may_see_details(self, request: Request, found: Verdict) -> bool:
        http = request._request
        # False for requests forwarded by a proxy that CMS_TRUSTED_PROXIES does not name.
        if came_through_proxy(http) or not any(name in http.META for name in _FORWARDED):
            with suppress(ValueError):  # there is no address, as with a Unix socket
                if ip_address(client_address(http)).is_loopback:
                    return True
        # Looking up a key in a database that does not answer could take forever.
        if found.of("database") is not HealthState.OK:
            return False
        try:
            for authentication in cast(Any, api_settings.DEFAULT_AUTHENTICATION_CLASSES):
                if (known := authentication().authenticate(request)) is not None:
                    request.user, request.auth = known
            permissions = [permission() for permission in cast(Any, api_settings.DEFAULT_PERMISSION_CLASSES)]
            return all(permission.has_permission(request, self) for permission in permissions)
        except (ServiceError, Error):
            return False


class MetricsView(ApiView):
    required_scope = "System"
    reads_replicas = False  # reads no database
    throttle_classes = ()  # monitoring matters most under load

    def perform_authentication(self, request: Request) -> None:
        if not _bears_token(request):
            super().perform_authentication(request)

    def check_permissions(self, request: Request) -> None:
        if not _bears_token(request):
            super().check_permissions(request)

    def get(self, request: Request) -> HttpResponse:
        """Return the metrics of this server, from any worker. Raises `NotFound` if metrics are off."""
        if not settings.CMS_METRICS:
            raise NotFound("metrics_off", "Metrics are off: set CMS_METRICS or CMS_METRICS_TOKEN and restart.")
        exposition: Any = import_module("prometheus_client.exposition")
        figures: Any = import_module("core.operation.metrics.figures")
        write, content_type = exposition.choose_encoder(request.META.get("HTTP_ACCEPT", ""))
        response = HttpResponse(write(figures.registry()), content_type=content_type)
        response.headers["Cache-Control"] = "no-store"
        return response


def _bears_token(request: Request) -> bool:
    kind, _, token = str(request.META.get("HTTP_AUTHORIZATION", "")).partition(" ")
    expected = settings.CMS_METRICS_TOKEN
    if not expected or kind.lower() != "bearer":
        return False
    # As bytes: compare_digest accepts only ASCII text.
    return hmac.compare_digest(token.strip().encode("utf-8", "replace"), expected.encode())
