from collections.abc import Callable, Mapping
from functools import partial
from http import HTTPStatus
from typing import Any, NoReturn, Protocol, cast

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import resolve
from rest_framework.exceptions import MethodNotAllowed
from rest_framework.request import Request
from rest_framework.status import is_client_error
from rest_framework.views import APIView

from core import replicas
from core.lib import schema
from core.lib.errors import InvalidInput, NotPermitted, ServiceError
from core.rest import conditional
from core.rest.errors import ImmediateResponse, body_too_large, plain_answer, until_cut
from core.rest.fields import INT64_MAX
from core.rest.filters import RowT, WireFilterSet
from core.rest.idempotency import Once, Reused, digest_of, read_key
from core.rest.preconditions import Precondition, if_match


class Grant(Protocol):
    key_id: int
    user_name: str
    site_ids: frozenset[int] | None  # None: every site
    requests_per_minute: int  # 0: no limit
    scopes: Mapping[Any, str]

    def require_site(self, site_id: int) -> None:
        """Raises `NotPermitted` if the key does not reach the site."""

    @property
    def token_reference(self) -> tuple[str, int]: ...


_CHUNK = 64 * 1024  # bytes
_PREFIX = "/api/v1/"
_MAX_SEGMENTS = 6  # of any endpoint below the prefix; longer paths are not searched


class ApiView(APIView):
    """Base view; `required_scope` is a word of apikeys.scopes, with read access for `read_methods`."""

    required_scope: str
    any_scope: tuple[str, ...] = ()  # instead, in a view that checks its scopes itself: one of these is enough
    read_methods = frozenset({"GET", "HEAD"})
    key_is_optional = False  # the view answers some requests without a key
    # The access token of the user in the path replaces the key and its scope.
    owner_is_enough = False
    # The kind of account whose access token replaces the key.
    token_kind: type | None = None
    filterset_class: type[WireFilterSet]
    # Read methods may use a replica (CMS_DATABASE_REPLICA_URLS): they must write nothing and be repeatable.
    reads_replicas = True
    # A POST calls `store` itself, since earlier steps are slow or must outlive a refusal.
    stores_by_itself = False
    # Headers that affect the outcome of a POST, in addition to path and body; names as in META.
    deciding_headers: tuple[str, ...] = ()
    # Method and path of the operation that an alias stands for (core.rest.aliases).
    alias_of: tuple[str, str] | None = None
    is_described = True  # by the OpenAPI document; false if another specification does
    _once: Once | None = None
    format_kwarg = None  # DRF expects it, and `initial` does not set it
    # OPTIONS outside CORS preflights is refused like any other method.
    http_method_names = ["get", "post", "put", "delete", "head"]

    def __init_subclass__(cls) -> None:
        """HEAD is GET; bound here, since Django would bind it per view, a cycle that `dispatch` avoids."""
        if "get" in vars(cls):
            cls.head = cls.get  # type: ignore[attr-defined]

    def dispatch(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        """DRF's without reference cycles, so that large bodies do not wait for the garbage collector."""
        self.args, self.kwargs = args, kwargs
        self.request = self.initialize_request(request, *args, **kwargs)
        # Of the class: a method such as BODY must not evaluate a property.
        handler = getattr(type(self), (request.method or "").lower(), None)
        self.headers = self.default_response_headers | getattr(handler, "deprecation_headers", {})
        try:
            self.initial(self.request, *args, **kwargs)
            response = self.call_method(self.request, **kwargs)
        except ImmediateResponse as ready:
            response = ready.answer()
        except Exception as error:  # noqa: BLE001 - every exception becomes a response
            response = self.handle_exception(error)
        response = self.finalize_response(self.request, response, *args, **kwargs)
        response = conditional.finish(self.request, response, is_read=request.method in self.read_methods)
        self.request.parser_context.clear()
        if replicas.ARE_SET and request.method not in self.read_methods:
            # The key must read its own writes; a refused request wrote nothing.
            grant = getattr(self.request, "grant", None)
            if grant is not None and not is_client_error(response.status_code):
                replicas.record_write(grant.key_id)
        if response.streaming:
            response.streaming_content = until_cut(response.streaming_content, request)
        return response

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """DRF's in another order: 405 comes before 401, and requests that the key does not allow are counted."""
        verb = (request.method or "").lower()
        if verb not in self.http_method_names or not hasattr(self, verb):
            self.http_method_not_allowed(request)
        if schema.problem and request.method not in self.read_methods:
            schema.raise_if_incomplete()
        request.accepted_renderer, request.accepted_media_type = self.perform_content_negotiation(request)
        self.perform_authentication(request)
        self.check_throttles(request)
        self.check_permissions(request)

    def check_throttles(self, request: Request) -> None:
        """DRF's, for a key with a limit; no other request is counted."""
        # `auth` authenticates if nothing has: a view without throttles may leave that out.
        if self.throttle_classes and request.auth is not None and self.grant.requests_per_minute:
            super().check_throttles(request)

    def perform_authentication(self, request: Request) -> None:
        """DRF's, but `auth` is None if authentication failed. Raises `NotPermitted`."""
        try:
            super().perform_authentication(request)
        except NotPermitted:
            request.user = request.auth = cast(Any, None)
            raise

    def call_method(self, request: Request, **kwargs: Any) -> Any:
        method = partial(getattr(self, (request.method or "").lower()), request, **kwargs)
        if request.method in self.read_methods:
            if "HTTP_IF_NONE_MATCH" in request.META:
                method = partial(conditional.read_whole, request, method)
            # The key was checked on the primary; a replica could lag and accept a revoked one.
            if replicas.ARE_SET and self.reads_replicas and request.auth:
                return replicas.read(method, self.grant.key_id)
        elif "HTTP_IDEMPOTENCY_KEY" in request.META and request.method == "POST" and request.auth and self.grant.scopes:
            return self._call_once(method, request, **kwargs)
        return method()

    def _call_once(self, method: Callable[[], Any], request: Request, **kwargs: Any) -> Any:
        try:
            name = read_key(request)
        except InvalidInput:
            self.require_place(**kwargs)
            raise
        self._once = Once(self.grant.key_id, name, digest_of(request, self.deciding_headers))
        try:
            self.check_body()
            if not self.stores_by_itself:
                return self._once.store(method)
            self._once.replay()
            try:
                return method()
            except ServiceError:
                self._once.replay()  # the same request may have just succeeded and be the cause of this refusal
                raise
        except Reused:
            self.require_place(**kwargs)
            raise

    def store(self, change: Callable[[], Any]) -> Any:
        """Run the change; with an Idempotency-Key, store its response in the same transaction."""
        return change() if self._once is None else self._once.store(change)

    def require_place(self, *args: Any, **kwargs: Any) -> None:
        """Raises `NotFound` if the path names missing records; called only if nothing else would detect it."""

    def check_body(self) -> None:
        """Raises `NotPermitted` if the body names sites outside the key's reach; checked before a replay, too."""

    def is_read(self, request: Request) -> bool:
        """Return whether read access to the scope is enough."""
        return request.method in self.read_methods

    def if_match(self, represent: Callable[[Any], tuple[str, Any]]) -> Precondition | None:
        return if_match(self.request, represent) if "HTTP_IF_MATCH" in self.request.META else None

    def filter_queryset(self, queryset: QuerySet[RowT]) -> QuerySet[RowT]:
        """Raises `InvalidInput` for a filter value that cannot be read."""
        return self.filterset_class.chosen(self.request, queryset)

    def http_method_not_allowed(self, request: Any, *args: Any, **kwargs: Any) -> NoReturn:
        verbs = " or ".join(verb for verb in self.allowed_methods if verb != "HEAD")
        message = f"{request.method} is not allowed at {request.path}; use {verbs}."
        raise MethodNotAllowed(request.method or "", message)

    @property
    def grant(self) -> Grant:
        return cast(Grant, self.request.auth)

    @property
    def body(self) -> dict[str, Any]:
        return cast(dict[str, Any], self.request.data)


class OpenView(ApiView):
    """A view that needs no key and ignores any sent."""

    reads_replicas = False  # without a key, writers are unknown
    authentication_classes = ()
    permission_classes = ()
    throttle_classes = ()
    max_body_bytes = 16 * 1024  # enough for honest requests; parsing JSON costs more than sending it

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        raise_if_body_too_large(request, self.max_body_bytes)


def raise_if_body_too_large(request: Request, limit: int) -> None:
    """Raises `TooLarge` for a larger body before it is parsed."""
    length = request.META.get("CONTENT_LENGTH") or ""
    if length.isdecimal() and int(length) > limit:
        # Most clients read the response only after sending everything.
        while request._request.read(_CHUNK):
            pass
        raise body_too_large(limit)


def route_not_found(request: HttpRequest) -> HttpResponse:
    """Respond 404 without a key; name the path segment that would have to be an id, if that makes an endpoint."""
    hint, segments = f"Paths begin with {_PREFIX} and are listed at /api/docs/.", []
    if request.path_info.startswith(_PREFIX):
        segments = request.path_info.removeprefix(_PREFIX).split("/")
    for at, part in enumerate(segments if len(segments) <= _MAX_SEGMENTS else []):
        path = _PREFIX + "/".join([*segments[:at], "1", *segments[at + 1 :]])
        if part and resolve(path).func is not route_not_found:
            hint = f"Use an id instead of {part}, a whole number of at most {INT64_MAX}."
            break
    return plain_answer(HTTPStatus.NOT_FOUND, "route_not_found", f"There is no endpoint {request.path}. {hint}")
