"""The base of every view of the API."""

from collections.abc import Callable
from typing import Any, NoReturn, Protocol, cast

from rest_framework.exceptions import MethodNotAllowed
from rest_framework.request import Request
from rest_framework.views import APIView

from cms_api.rest.errors import body_too_large


class Grant(Protocol):
    """What a view may know of the caller's key."""

    user_name: str
    site_ids: frozenset[int] | None  # None: every site

    def require_site(self, site_id: int) -> None:
        """Raises Unauthorized when the key does not reach the site."""


_CHUNK = 64 * 1024  # bytes
# Made once per class; DRF makes them for each request, though none of ours keeps anything.
_headers: dict[type, dict[str, str]] = {}
_parts: dict[tuple[type, str], list[Any]] = {}


class ApiView(APIView):
    """Refuses a wrong verb before it asks for a key, and names the scope that the key needs.

    `required_scope` is a word of apikeys.scopes; `read_methods` are the verbs for which read access
    is enough.
    """

    required_scope: str
    read_methods = frozenset({"GET", "HEAD"})
    # Whether the access token of the user that the path names stands for the scope.
    owner_is_enough = False
    # OPTIONS that are no CORS preflight are a wrong verb like any other.
    http_method_names = ["get", "post", "put", "delete", "head"]

    def dispatch(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        """DRF's, without the circles of view, request and response that it and Django leave.

        Caught in a circle, an answer of a megabyte and a body of ten wait for the collector of garbage.
        """
        response = super().dispatch(request, *args, **kwargs)
        del self.response
        self.request.parser_context.clear()
        vars(self).pop("head", None)  # the view's own `get`, bound
        return response

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """405 comes before 401: whether a verb exists is no secret (design §4)."""
        verb = (request.method or "").lower()
        if verb not in self.http_method_names or not hasattr(self, verb):
            self.http_method_not_allowed(request)
        super().initial(request, *args, **kwargs)

    def http_method_not_allowed(self, request: Any, *args: Any, **kwargs: Any) -> NoReturn:
        """Raises MethodNotAllowed naming the verbs that are possible."""
        verbs = " or ".join(verb for verb in self.allowed_methods if verb != "HEAD")
        message = f"{request.method} is not possible at {request.path}; use {verbs}."
        raise MethodNotAllowed(request.method or "", message)

    @property
    def default_response_headers(self) -> dict[str, str]:
        """`Allow`."""
        if type(self) not in _headers:
            _headers[type(self)] = super().default_response_headers
        return dict(_headers[type(self)])

    def get_authenticators(self) -> list[Any]:
        """The authentication classes, as objects."""
        return self._part("authenticators", super().get_authenticators)

    def get_permissions(self) -> list[Any]:
        """The permission classes, as objects."""
        return self._part("permissions", super().get_permissions)

    def get_parsers(self) -> list[Any]:
        """The parser classes, as objects."""
        return self._part("parsers", super().get_parsers)

    def get_renderers(self) -> list[Any]:
        """The renderer classes, as objects."""
        return self._part("renderers", super().get_renderers)

    def _part(self, name: str, make: Callable[[], Any]) -> list[Any]:
        key = (type(self), name)
        if key not in _parts:
            _parts[key] = list(make())
        return _parts[key]

    @property
    def grant(self) -> Grant:
        """The caller's key."""
        return cast(Grant, self.request.auth)

    @property
    def body(self) -> dict[str, Any]:
        """The members of the request's JSON object. Raises BadRequest when it is none."""
        return cast(dict[str, Any], self.request.data)


class OpenView(ApiView):
    """A view that needs no key and looks at none."""

    authentication_classes = ()
    permission_classes = ()
    max_body_bytes = 16 * 1024  # no honest request needs more, and reading JSON costs more than sending it

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Raises TooLarge for a larger body, before it is read as JSON."""
        super().initial(request, *args, **kwargs)
        length = request.META.get("CONTENT_LENGTH") or ""
        if length.isdecimal() and int(length) > self.max_body_bytes:
            # Most clients look for the answer only when they have sent everything.
            while request._request.read(_CHUNK):
                pass
            raise body_too_large(self.max_body_bytes)
