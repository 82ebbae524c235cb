"""The base of every view of the API."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NoReturn, Protocol, cast

from django.db.models import QuerySet
from rest_framework.exceptions import MethodNotAllowed
from rest_framework.request import Request
from rest_framework.status import is_client_error
from rest_framework.views import APIView

from cms_api import replicas
from cms_api.lib.errors import InvalidInput, NotPermitted, ServiceError
from cms_api.rest import conditional
from cms_api.rest.errors import Ready, body_too_large, until_cut
from cms_api.rest.filters import RowT, WireFilterSet
from cms_api.rest.idempotency import Once, Reused, digest_of, read_key
from cms_api.rest.preconditions import Precondition, if_match


class Grant(Protocol):
    """What a view may know of the caller's key."""

    key_id: int
    user_name: str
    site_ids: frozenset[int] | None  # None: every site
    scopes: Mapping[Any, str]

    def require_site(self, site_id: int) -> None:
        """Raises NotPermitted when the key does not reach the site."""


_CHUNK = 64 * 1024  # bytes


class ApiView(APIView):
    """A view that names the scope its key needs, and that knows ETags, idempotency keys and replicas.

    `required_scope` is a word of apikeys.scopes; `read_methods` are the verbs for which read access
    is enough.
    """

    required_scope: str
    read_methods = frozenset({"GET", "HEAD"})
    # Whether the access token of the user that the path names replaces the key and its scope.
    owner_is_enough = False
    # The class of accounts whose access token replaces the key.
    token_kind: type | None = None
    filterset_class: type[WireFilterSet]
    # Whether its read methods may ask a replica (CMS_DATABASE_REPLICA_URLS): they write nothing, and can be repeated.
    reads_replicas = True
    # Whether a POST calls `store` for its change, because what comes before is slow or must outlive a refusal.
    stores_by_itself = False
    # Of which the outcome of a POST depends, besides path and body; by their names in META.
    deciding_headers: tuple[str, ...] = ()
    _once: Once | None = None
    format_kwarg = None  # of DRF, which `initial` does not set
    # OPTIONS that are no CORS preflight are a wrong verb like any other.
    http_method_names = ["get", "post", "put", "delete", "head"]

    def __init_subclass__(cls) -> None:
        """HEAD is GET: Django would bind it to each view, a circle of which the next method tells."""
        if "get" in vars(cls):
            cls.head = cls.get  # type: ignore[attr-defined]

    def dispatch(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        """DRF's, without the circles of view, request and response that it leaves.

        Caught in a circle, an answer of a megabyte and a body of ten wait for the collector of garbage.
        """
        self.args, self.kwargs = args, kwargs
        self.request = self.initialize_request(request, *args, **kwargs)
        self.headers = self.default_response_headers
        try:
            self.initial(self.request, *args, **kwargs)
            response = self.call_method(self.request, **kwargs)
        except Ready as ready:
            response = ready.answer()
        except Exception as error:  # noqa: BLE001 - every exception becomes an answer
            response = self.handle_exception(error)
        response = self.finalize_response(self.request, response, *args, **kwargs)
        response = conditional.finish(self.request, response, is_read=request.method in self.read_methods)
        self.request.parser_context.clear()
        if replicas.ARE_SET:
            self._end_with_replicas(self.request, response.status_code)
        if response.streaming:
            response.streaming_content = until_cut(response.streaming_content, request)
        return response

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """DRF's, in another order.

        405 comes before 401: whether a verb exists is no secret (design §4). A request that the key does not allow
        counts, too, and learns what is left.
        """
        verb = (request.method or "").lower()
        if verb not in self.http_method_names or not hasattr(self, verb):
            self.http_method_not_allowed(request)
        request.accepted_renderer, request.accepted_media_type = self.perform_content_negotiation(request)
        self.perform_authentication(request)
        self.check_throttles(request)
        self.check_permissions(request)

    def perform_authentication(self, request: Request) -> None:
        """DRF's, after which `auth` is None where nobody was authenticated. Raises NotPermitted."""
        try:
            super().perform_authentication(request)
        except NotPermitted:
            request.user = request.auth = cast(Any, None)
            raise

    def call_method(self, request: Request, **kwargs: Any) -> Any:
        """The answer of the view's method for the verb."""
        method = partial(getattr(self, (request.method or "").lower()), request, **kwargs)
        if request.method in self.read_methods:
            if "HTTP_IF_NONE_MATCH" in request.META:
                method = partial(conditional.read_whole, request, method)
            # Whether the key is good the primary has said, or a revoked one would go on while a replica is behind.
            if replicas.ARE_SET and self.reads_replicas and request.auth:
                return replicas.read(method, self.grant.key_id)
        elif "HTTP_IDEMPOTENCY_KEY" in request.META and request.method == "POST" and request.auth and self.grant.scopes:
            return self._call_once(method, request, **kwargs)
        return method()

    def _call_once(self, method: Callable[[], Any], request: Request, **kwargs: Any) -> Any:
        """The answer to a POST with an Idempotency-Key, which does nothing where it has been answered before."""
        try:
            name = read_key(request)
        except InvalidInput:
            self.require_place(**kwargs)
            raise
        self._once = Once(self.grant.key_id, name or "", digest_of(request, self.deciding_headers))
        try:
            self.check_body()
            if not self.stores_by_itself:
                return self._once.store(method)
            self._once.replay()
            try:
                return method()
            except ServiceError:
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
        """Raises NotPermitted where the body names what the key does not reach, also for an answer that is stored."""

    def if_match(self, represent: Callable[[Any], tuple[str, Any]]) -> Precondition | None:
        """What the request's `If-Match` demands; `represent` gives a record's tag and what answers show of it."""
        return if_match(self.request, represent) if "HTTP_IF_MATCH" in self.request.META else None

    def filter_queryset(self, queryset: QuerySet[RowT]) -> QuerySet[RowT]:
        """The rows that the query asks for. Raises InvalidInput for a value that cannot be read."""
        return self.filterset_class.chosen(self.request, queryset)

    def _end_with_replicas(self, request: Request, status: int) -> None:
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
    def grant(self) -> Grant:
        """The caller's key."""
        return cast(Grant, self.request.auth)

    @property
    def body(self) -> dict[str, Any]:
        """The members of the request's JSON object. Raises InvalidInput when it is none."""
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
