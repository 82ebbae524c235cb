"""The base of every view of the API."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NoReturn, Protocol, cast

from django.http import HttpRequest
from rest_framework.exceptions import MethodNotAllowed
from rest_framework.request import Request
from rest_framework.status import is_client_error
from rest_framework.views import APIView

from cms_api import replicas
from cms_api.rest import conditional
from cms_api.rest.errors import BadRequest, Ready, Refusal, body_too_large, until_cut
from cms_api.rest.idempotency import Once, Reused, digest_of, read_key


class Grant(Protocol):
    """What a view may know of the caller's key."""

    key_id: int
    user_name: str
    site_ids: frozenset[int] | None  # None: every site
    scopes: Mapping[Any, str]

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
    # Whether the access token of the user that the path names replaces the key and its scope.
    owner_is_enough = False
    # The class of accounts whose access token replaces the key.
    token_kind: type | None = None
    # Whether its read methods may ask a replica (CMS_DATABASE_REPLICA_URLS): they write nothing, and can be repeated.
    reads_replicas = True
    # Whether a POST calls `store` for its change, because what comes before is slow or must outlive a refusal.
    stores_by_itself = False
    # Of which the outcome of a POST depends, besides path and body; by their names in META.
    deciding_headers: tuple[str, ...] = ()
    _once: Once | None = None
    # OPTIONS that are no CORS preflight are a wrong verb like any other.
    http_method_names = ["get", "post", "put", "delete", "head"]

    def dispatch(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        """DRF's, without the circles of view, request and response that it and Django leave.

        Caught in a circle, an answer of a megabyte and a body of ten wait for the collector of garbage.
        """
        response: Any = super().dispatch(request, *args, **kwargs)
        response = conditional.finish(request, response, is_read=request.method in self.read_methods)
        del self.response
        self.request.parser_context.clear()
        vars(self).pop("head", None)  # the view's own `get`, bound
        vars(self).pop((request.method or "").lower(), None)  # what `initial` has put around the method
        if replicas.ARE_SET:
            self._end_with_replicas(request, response.status_code)
        if response.streaming:
            response.streaming_content = until_cut(response.streaming_content, request)
        return response

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """405 comes before 401: whether a verb exists is no secret (design §4)."""
        verb = (request.method or "").lower()
        if verb not in self.http_method_names or not hasattr(self, verb):
            self.http_method_not_allowed(request)
        super().initial(request, *args, **kwargs)
        if request.method in self.read_methods:
            if "HTTP_IF_NONE_MATCH" in request.META:
                vars(self)[verb] = partial(self._read_whole, getattr(self, verb))
        elif "HTTP_IDEMPOTENCY_KEY" in request.META and request.method == "POST" and request.auth and self.grant.scopes:
            vars(self)[verb] = partial(self._do_once, getattr(self, verb))
        # Whether the key is good the primary has said, or a revoked one would go on while a replica is behind.
        if replicas.ARE_SET and self.reads_replicas and request.method in self.read_methods and request.auth:
            vars(self)[verb] = partial(self._read, getattr(self, verb), self.grant.key_id)

    @staticmethod
    def _read_whole(method: Callable[..., Any], request: Request, *args: Any, **kwargs: Any) -> Any:
        return conditional.whole(request, method(request, *args, **kwargs))

    def _do_once(self, method: Callable[..., Any], request: Request, **kwargs: Any) -> Any:
        """The answer to a POST with an Idempotency-Key, which does nothing where it has been answered before."""
        try:
            name = read_key(request)
        except BadRequest:
            self.require_place(**kwargs)
            raise
        self._once = Once(self.grant.key_id, name or "", digest_of(request, self.deciding_headers))
        try:
            self.check_body()
            if not self.stores_by_itself:
                return self._once.store(partial(method, request, **kwargs))
            self._once.replay()
            try:
                return method(request, **kwargs)
            except Refusal:
                self._once.replay()  # the same request may have come first, and be why this one is refused
                raise
        except Reused:
            self.require_place(**kwargs)
            raise

    def store(self, change: Callable[[], Any]) -> Any:
        """The answer of the change, with an Idempotency-Key stored in one transaction with what it does."""
        return change() if self._once is None else self._once.store(change)

    def require_place(self, *args: Any, **kwargs: Any) -> None:
        """Raises NotFound where the path leads to nothing; only asked where nothing else would tell."""

    def check_body(self) -> None:
        """Raises Unauthorized where the body names what the key does not reach, also for an answer that is stored."""

    @staticmethod
    def _read(method: Callable[..., Any], key_id: int, *args: Any, **kwargs: Any) -> Any:
        return replicas.read(partial(method, *args, **kwargs), key_id)

    def _end_with_replicas(self, request: HttpRequest, status: int) -> None:
        """Have the key read what it has written: a refused request has written nothing."""
        grant = getattr(request, "grant", None)
        is_write = request.method not in self.read_methods and not is_client_error(status)
        if grant is not None and is_write:
            replicas.note_write(grant.key_id)

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

    def get_throttles(self) -> list[Any]:
        """The throttle classes, as objects."""
        return self._part("throttles", super().get_throttles)

    def handle_exception(self, exc: Exception) -> Any:
        """DRF's, which what is no error passes by."""
        return exc.answer() if isinstance(exc, Ready) else super().handle_exception(exc)

    def check_permissions(self, request: Request) -> None:
        """DRF's, after the throttles: a request that the key does not allow counts, too, and learns what is left."""
        super().check_throttles(request)
        super().check_permissions(request)

    def check_throttles(self, request: Request) -> None:
        """Nothing: `check_permissions` has asked them, and each question is a count."""

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

    reads_replicas = False  # without a key nobody knows who has written what
    authentication_classes = ()
    permission_classes = ()
    throttle_classes = ()
    max_body_bytes = 16 * 1024  # no honest request needs more, and reading JSON costs more than sending it

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Raises TooLarge for a larger body, before it is read as JSON."""
        super().initial(request, *args, **kwargs)
        refuse_large_body(request, self.max_body_bytes)


def refuse_large_body(request: Request, limit: int) -> None:
    """Raises TooLarge for a body of more bytes, before it is read as JSON."""
    length = request.META.get("CONTENT_LENGTH") or ""
    if length.isdecimal() and int(length) > limit:
        # Most clients look for the answer only when they have sent everything.
        while request._request.read(_CHUNK):
            pass
        raise body_too_large(limit)
