"""The first thing that sees a request: secrets leave the query, and the API goes its own short way."""

import logging
from collections.abc import Callable
from http import HTTPStatus
from typing import Any
from urllib.parse import unquote_plus

from corsheaders.middleware import CorsMiddleware
from django.core.exceptions import DisallowedHost
from django.core.handlers.exception import convert_exception_to_response
from django.http import HttpRequest, HttpResponse
from django.middleware.security import SecurityMiddleware
from django.urls import resolve

from cms_api.rest.errors import plain_answer, replace_page

API_PREFIX = "/api/"
_EXPLORER = "/api/docs"  # a page, which goes the way of pages
_HEALTH = "/api/v1/health/"  # load balancers ask for it by the address of the node
# Secrets that a query may carry. A key under the header's name grants nothing, but it is no less a secret.
_SECRETS = {"apikey", "x-ss-api-key", "usertoken", "admintoken"}
_HOST = "The service does not answer under this host name. CMS_ALLOWED_HOSTS of the server names those that it does."
_Handler = Callable[[HttpRequest], HttpResponse]


logger = logging.getLogger(__name__)


class ApiMiddleware:
    """Takes secrets out of every query, and answers requests under /api/ without the middleware below.

    The API knows no sessions, forms, sign-in, messages and files; passing them by saves a fifth of a
    short request. What it needs of them is here: the headers of security and CORS, the check of the host.

    `apiKey`, `userToken` and `adminToken` (any letter case) move from the query to `request.query_secrets` before
    anything else sees the request, so that no log, mail, link or error can hold them. That applies to every path,
    since a mistyped one is logged as well.
    """

    def __init__(self, get_response: _Handler) -> None:
        self.get_response = get_response
        view: Any = convert_exception_to_response(_call_view)
        with_cors: Any = CorsMiddleware(view)
        self._answer: Any = convert_exception_to_response(SecurityMiddleware(with_cors))

    def __call__(self, request: HttpRequest) -> HttpResponse:
        _take_secrets(request)
        if not request.path_info.startswith(API_PREFIX) or request.path_info.rstrip("/") == _EXPLORER:
            return self.get_response(request)
        # /api/ itself stays, or nothing after this would take it for a path of the API.
        if len(stripped := request.path_info.rstrip("/")) > len(API_PREFIX):
            request.path_info, request.path = stripped, request.path.rstrip("/")
        response = self._answer(request)
        if response.status_code >= HTTPStatus.BAD_REQUEST:
            response = replace_page(response)
        response.headers.setdefault("Cache-Control", _caching(response.status_code))
        if response.status_code < HTTPStatus.INTERNAL_SERVER_ERROR:
            # Refusals stand in the server's access log; Django would give each a second line.
            response._has_been_logged = True
        return _without_body(response) if request.method == "HEAD" else response


def _call_view(request: HttpRequest) -> HttpResponse:
    if not request.path_info.startswith(_HEALTH):
        try:
            request.get_host()
        except DisallowedHost as error:
            logger.warning("%s", error)
            return plain_answer(HTTPStatus.BAD_REQUEST, "host_not_allowed", _HOST)
    match = resolve(request.path_info)
    request.resolver_match = match
    response: HttpResponse = match.func(request, *match.args, **match.kwargs)
    if hasattr(response, "render"):
        response = response.render()
        vars(response)["renderer_context"] = {}  # which holds the answer itself: see ApiView.dispatch
    # That of a 304 would be the length of the answer which is not sent (RFC 9110 §8.6).
    if not response.streaming and response.status_code != HTTPStatus.NOT_MODIFIED:
        response.headers["Content-Length"] = str(len(response.content))
    return response


def _caching(status: int) -> str:
    """A key in a header does not make a response private to HTTP, and some caches keep what says nothing."""
    return "no-store" if status >= HTTPStatus.BAD_REQUEST else "private, no-cache"


def _without_body(response: HttpResponse) -> HttpResponse:
    """The answer to HEAD: the headers of a GET. The server would complain of a body that it may not send."""
    if response.streaming:
        response.streaming_content = ()  # type: ignore[attr-defined]
    else:
        response.content = b""
    return response


def _take_secrets(request: HttpRequest) -> None:
    """Fill `request.query_secrets`: the first value that is not empty, by name in lower case."""
    query = request.META.get("QUERY_STRING", "")
    secrets: dict[str, str] = {}
    folded = query.lower()
    if "key" in folded or "token" in folded or "%" in query:
        kept: list[str] = []
        for part in query.split("&"):
            name, _, value = part.partition("=")
            name = unquote_plus(name).strip().lower()
            if name not in _SECRETS:
                kept.append(part)
            elif text := unquote_plus(value).strip():
                secrets.setdefault(name, text)
        if (safe := "&".join(kept)) != query:
            _replace_query(request, safe)
    request.query_secrets = secrets  # type: ignore[attr-defined]


def _replace_query(request: HttpRequest, query: str) -> None:
    request.META["QUERY_STRING"] = query
    # The server's own copies of the address, which error reports include.
    for name in ("RAW_URI", "REQUEST_URI"):
        if name in request.META:
            request.META[name] = request.META[name].partition("?")[0]
