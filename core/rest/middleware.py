"""Middleware that removes secrets from the query and serves the API without the rest of the chain."""

import logging
import re
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, cast
from urllib.parse import unquote_plus

from corsheaders.middleware import CorsMiddleware
from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.core.handlers.exception import convert_exception_to_response
from django.http import HttpRequest, HttpResponse
from django.http.request import split_domain_port
from django.middleware.security import SecurityMiddleware
from django.urls import ResolverMatch, resolve

from core.rest.errors import plain_answer, replace_page
from core.rest.views import route_not_found

API_PREFIX = "/api/"
_EXPLORER = "/api/docs"  # a page, served through the full chain
_HEALTH = "/api/v1/health/"  # load balancers request it by the node's address
# Secrets that a query may carry; a key under the header's name is not accepted but still a secret.
_SECRETS = {"apikey", "x-ss-api-key", "usertoken", "admintoken"}
_HOST = "The service does not accept this host name. The setting CMS_ALLOWED_HOSTS lists the accepted ones."
_WITHOUT_LENGTH = {HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED}
logger = logging.getLogger(__name__)


class ApiMiddleware:
    """Removes secrets from every query, and serves /api/ of the service's hosts without the middleware below.

    That saves a fifth of a short request; security headers, CORS and host check are applied here. `apiKey`, `userToken`
    and `adminToken` move to `request.query_secrets`, so that no log, mail, link or error contains them.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        view: Any = convert_exception_to_response(_call_view)
        # CORS concerns requests with an origin, and SecurityMiddleware treats all but redirected requests alike.
        cors: Any = CorsMiddleware(view)
        self._view, self._with_cors = view, cast(Any, convert_exception_to_response(cors))
        self._with_redirect: Any = convert_exception_to_response(SecurityMiddleware(self._with_cors))
        sample = HttpRequest()
        sample.META["HTTP_X_FORWARDED_PROTO"] = "https"
        response = SecurityMiddleware(_call_view).process_response(sample, HttpResponse())
        self._security_headers = {name: value for name, value in response.items() if name != "Content-Type"}

    def __call__(self, request: HttpRequest) -> Any:
        take_secrets(request)
        path = request.path_info
        if not path.startswith(API_PREFIX) or path.rstrip("/") == _EXPLORER or site_of_host(request):
            return self.get_response(request)
        # /api/ itself must have its slash: without it, it would no longer be a path of the API.
        if len(stripped := request.path_info.rstrip("/")) > len(API_PREFIX):
            request.path_info, request.path = stripped, request.path.rstrip("/")
        response = self._answer(request)
        if response.status_code >= HTTPStatus.BAD_REQUEST:
            response = replace_page(response)
        # A key in a header does not make a response private, and some caches store responses without Cache-Control.
        caching = "no-store" if response.status_code >= HTTPStatus.BAD_REQUEST else "private, no-cache"
        response.headers.setdefault("Cache-Control", caching)
        if response.status_code < HTTPStatus.INTERNAL_SERVER_ERROR:
            # Refusals are in the server's access log; Django would log each a second time.
            response._has_been_logged = True
        if request.method == "HEAD":  # the server would complain about a body
            if response.streaming:
                response.streaming_content = ()
            else:
                response.content = b""
        return response

    def _answer(self, request: HttpRequest) -> Any:
        if settings.SECURE_SSL_REDIRECT and not request.is_secure():
            return self._with_redirect(request)
        if "HTTP_ORIGIN" in request.META or request.method == "OPTIONS":
            response = self._with_cors(request)
        else:
            response = self._view(request)
            response.headers["Vary"] = f"{vary}, origin" if (vary := response.headers.get("Vary")) else "origin"
        for name, value in self._security_headers.items():
            response.headers.setdefault(name, value)
        return response


def _call_view(request: HttpRequest) -> HttpResponse:
    if not request.path_info.startswith(_HEALTH):
        try:
            request.get_host()
        except DisallowedHost as error:
            logger.warning("%s", error)
            return plain_answer(HTTPStatus.BAD_REQUEST, "host_not_allowed", _HOST)
    match = request.resolver_match = _resolve(request.path_info)
    response: HttpResponse = match.func(request, *match.args, **match.kwargs)
    if hasattr(response, "render"):
        response = response.render()
        vars(response)["renderer_context"] = {}  # it holds the response itself: see ApiView.dispatch
    # For a 304 it would have to be the length of the full response, and a 204 has none (RFC 9110 §8.6).
    if not response.streaming and response.status_code not in _WITHOUT_LENGTH:
        response.headers["Content-Length"] = str(len(response.content))
    return response


_ID = re.compile(r"(?<=/)[0-9]{1,18}(?=/|\Z)")
_routes: dict[str, ResolverMatch] = {}
_MAX_ROUTES = 1000  # some ten times as many as there are; an stl element has one in each letter case


def _resolve(path: str) -> ResolverMatch:
    """Django's `resolve`; a route whose parameters are ids is looked up by the path with every id replaced."""
    shape = _ID.sub("0", path)
    if known := _routes.get(shape):
        names = zip(known.kwargs, map(int, _ID.findall(path)), strict=True)
        return ResolverMatch(known.func, (), dict(names), route=known.route)
    match = resolve(path)
    has_ids_only = list(match.kwargs.values()) == list(map(int, _ID.findall(path)))
    if has_ids_only and match.func is not route_not_found and len(_routes) < _MAX_ROUTES:
        _routes[shape] = match
    return match


def site_of_host(request: HttpRequest) -> str:
    """Return the site of the host, an id or a folder; "" for the service's hosts."""
    if not settings.CMS_SITE_HOSTS:
        return ""
    try:
        host, _ = split_domain_port(request.get_host())
    except DisallowedHost:  # refused where the service checks the host
        return ""
    return str(settings.CMS_SITE_HOSTS.get(host, ""))


def take_secrets(request: HttpRequest) -> None:
    """Fill `request.query_secrets`: lower-case name → first non-empty value."""
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
            request.META["QUERY_STRING"] = safe
            # The server's copies of the address, which error reports include.
            for name in {"RAW_URI", "REQUEST_URI"} & request.META.keys():
                request.META[name] = request.META[name].partition("?")[0]
    request.query_secrets = secrets  # type: ignore[attr-defined]
