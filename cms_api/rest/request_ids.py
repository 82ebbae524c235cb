"""The number under which a request stands in the answer, the access log and the audit."""

import os
import re

from django.http import HttpRequest

from cms_api.lib.client_address import came_through_proxy

HEADER = "X-Request-Id"
_WELL_FORMED = re.compile(r"[A-Za-z0-9._-]{1,64}")


def request_id_of(request: HttpRequest) -> str:
    """The number that a trusted proxy gave the request, else a new one.

    What a client makes up is not taken: it could be that of another request, or break a line of a log.
    """
    given = request.META.get("HTTP_X_REQUEST_ID")
    if given and _WELL_FORMED.fullmatch(given) and came_through_proxy(request):
        return str(given)
    return os.urandom(12).hex()  # nothing counted: workers are forked from one process
