"""The two addresses that load balancers ask: open, and with details for whoever runs the service."""

from http import HTTPStatus
from ipaddress import ip_address
from typing import Any, cast

from django.db import Error
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.settings import api_settings

from cms_api.lib.client_address import came_through_proxy, client_address
from cms_api.lib.errors import ServiceError
from cms_api.operation.health.probes import State
from cms_api.operation.health.readiness import Verdict, verdict
from cms_api.rest.errors import HttpError
from cms_api.rest.views import OpenView

_FORWARDED = ("HTTP_X_FORWARDED_FOR", "HTTP_X_REAL_IP", "HTTP_FORWARDED", "HTTP_VIA")


class NotReady(HttpError):
    """503: requests should be sent elsewhere."""

    status_code = HTTPStatus.SERVICE_UNAVAILABLE


class HealthView(OpenView):
    """An answer that nobody keeps."""

    def finalize_response(self, request: Any, response: Any, *args: Any, **kwargs: Any) -> Any:
        """DRF's, with a header."""
        response = super().finalize_response(request, response, *args, **kwargs)
        response.headers["Cache-Control"] = "no-store"
        response._has_been_logged = True  # who asks every second needs no line of Django's each time
        return response


class LiveView(HealthView):
    """Whether this process answers at all: open, without a database."""

    def get(self, request: Request) -> Response:
        """`{"status": "live"}`."""
        return Response({"status": "live"})


class ReadyView(HealthView):
    """Whether requests should be sent here."""

    required_scope = "System"  # for details

    def get(self, request: Request) -> Response:
        """`{"status": "ready"}`, or with details also "degraded". Raises NotReady."""
        found = verdict()
        details = _details(found) if self._may_see_details(request, found) else {}
        if found.state is State.FAILED:
            raise NotReady("not_ready", "This server is not ready to serve at present.", **details)
        status = "degraded" if details and found.state is State.DEGRADED else "ready"
        return Response({"status": status, **details})

    def _may_see_details(self, request: Request, found: Verdict) -> bool:
        if _is_on_this_machine(request):
            return True
        # To look a key up where the database does not answer would take as long as it pleases.
        return found.of("database") is State.OK and self._has_scope(request)

    def _has_scope(self, request: Request) -> bool:
        try:
            for authentication in cast(Any, api_settings.DEFAULT_AUTHENTICATION_CLASSES):
                if (known := authentication().authenticate(request)) is not None:
                    request.user, request.auth = known
            permissions = [permission() for permission in cast(Any, api_settings.DEFAULT_PERMISSION_CLASSES)]
            return all(permission.has_permission(request, self) for permission in permissions)
        except (ServiceError, Error):
            return False


def _is_on_this_machine(request: Request) -> bool:
    http = request._request
    if any(name in http.META for name in _FORWARDED) and not came_through_proxy(http):
        return False  # sent on by a proxy that CMS_TRUSTED_PROXIES does not name
    try:
        return ip_address(client_address(http)).is_loopback
    except ValueError:  # none, as through a Unix socket
        return False


def _details(found: Verdict) -> dict[str, Any]:
    shown = ("name", "state", "milliseconds", "message")
    return {"probes": [{name: getattr(look, name) for name in shown} for look in found.looks]}
