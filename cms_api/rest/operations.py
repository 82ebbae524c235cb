"""Every operation of the API: what it is, and what it asks of a key, as the views themselves say it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, cast

from django.urls import URLPattern, URLResolver, get_resolver
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from cms_api.rest.names import to_wire
from cms_api.rest.views import ApiView

PREFIX = "/api/v1"

# By method and path below PREFIX, in the words of the README.
SUMMARIES: dict[tuple[str, str], str | Promise] = {
    ("GET", "/ping"): _("answers pong"),
    ("GET", "/channels/{siteId}"): _("lists the channels, each with those below it"),
    ("POST", "/channels/{siteId}"): _("creates a channel below parentId"),
    ("GET", "/channels/{siteId}/{channelId}"): _("reads a channel with everything below it"),
    ("PUT", "/channels/{siteId}/{channelId}"): _("changes the members that are sent"),
    ("DELETE", "/channels/{siteId}/{channelId}"): _(
        "moves a channel, what is below it and their contents to the trash"
    ),
    ("POST", "/channels/{siteId}/{channelId}/actions/move"): _(
        "puts a channel below parentId, before a sibling or last"
    ),
    ("POST", "/contents"): _("lists contents by filters, Where and Order rules, in pages"),
    ("GET", "/contents/{siteId}"): _("lists approved contents of a site, by filters, in pages"),
    ("GET", "/contents/{siteId}/{channelId}"): _("lists approved contents of a channel and everything below it"),
    ("POST", "/contents/{siteId}/{channelId}"): _("creates a content"),
    ("GET", "/contents/{siteId}/{channelId}/{id}"): _("reads a content"),
    ("PUT", "/contents/{siteId}/{channelId}/{id}"): _("changes the members that are sent"),
    ("DELETE", "/contents/{siteId}/{channelId}/{id}"): _("moves a content to the trash"),
    ("POST", "/contents/check"): _("approves contents"),
    ("POST", "/contents/actions/check"): _("approves contents"),
    ("GET", "/stl/site"): _("reads a site, or with type one of its values as a text"),
    ("GET", "/stl/sites"): _("lists sites"),
    ("GET", "/stl/value"): _("reads a value of a site as a text"),
    ("GET", "/stl/channel"): _("reads a channel, or with type one of its values as a text"),
    ("GET", "/stl/channels"): _("lists channels around a channel"),
    ("GET", "/stl/content"): _("reads a content, or with type one of its values as a text"),
    ("GET", "/stl/contents"): _("lists approved contents of channels around a channel"),
    ("GET", "/stl/a"): _("answers the address of a channel or content"),
    ("GET", "/stl/count"): _("counts approved contents, or channels, as a text"),
    ("GET", "/stl/sqlContents"): _("answers the rows of a SELECT"),
    ("GET", "/stl/sqlContent"): _("answers the first row of a SELECT, or with type one value as a text"),
    ("GET", "/users"): _("lists users, by filters"),
    ("POST", "/users"): _("creates a user"),
    ("GET", "/users/{id}"): _("reads a user"),
    ("PUT", "/users/{id}"): _("changes the members that are sent"),
    ("DELETE", "/users/{id}"): _("permanently deletes a user"),
    ("POST", "/users/{id}/avatar"): _("takes a picture as multipart/form-data"),
    ("GET", "/users/{id}/avatar"): _("answers the address of the picture"),
    ("GET", "/users/{id}/logs"): _("lists what was noted of a user, newest first"),
    ("POST", "/users/{id}/logs"): _("notes an action with a summary"),
    ("POST", "/users/{id}/actions/resetPassword"): _("changes a password by the old one"),
    ("POST", "/users/actions/resetPassword"): _("changes a password by account and the MD5 of the old one"),
    ("POST", "/users/actions/login"): _("signs a user in"),
    ("POST", "/users/actions/logout"): _("ends the user's access token"),
    ("GET", "/administrators"): _("lists administrators, by filters"),
    ("POST", "/administrators"): _("creates an administrator of ordinary rank"),
    ("GET", "/administrators/{id}"): _("reads an administrator"),
    ("PUT", "/administrators/{id}"): _("changes the members that are sent"),
    ("DELETE", "/administrators/{id}"): _("deletes an administrator with their API keys"),
    ("POST", "/administrators/actions/resetPassword"): _("changes a password by account and the MD5 of the old one"),
    ("POST", "/administrators/actions/login"): _("signs an administrator in"),
    ("POST", "/administrators/actions/logout"): _("ends the administrator's access token"),
    ("GET", "/captcha/{name}"): _("draws a captcha and sets its cookie"),
    ("POST", "/captcha/{name}/actions/check"): _("checks what was read from it, once"),
    ("POST", "/actions/restart"): _("restarts the service without dropping a request"),
    ("GET", "/health/live"): _("answers while the process does"),
    ("GET", "/health/ready"): _("tells whether the server is ready to serve"),
    ("GET", "/metrics"): _("lists figures for Prometheus"),
    ("GET", "/openapi.json"): _("answers the OpenAPI document of the API"),
}


@dataclass(frozen=True, slots=True)
class Operation:
    """A verb at a path."""

    method: str
    path: str  # below PREFIX, such as /contents/{siteId}/{channelId}
    needs_key: bool
    scope: str = ""  # empty: any key will do, or none is needed
    is_read: bool = False
    owner_is_enough: bool = False  # the access token of the user in the path replaces the key and its scope
    token_scheme: str = ""  # of the OpenAPI document, in place of the key

    @property
    def summary(self) -> str | Promise:
        """What it does, in a few words."""
        return SUMMARIES.get((self.method, self.path), "")


def operations() -> tuple[Operation, ...]:
    """Every operation that the project declares, in the order of the addresses."""
    return tuple(_found(get_resolver().url_patterns, "/"))


def _found(patterns: list[Any], prefix: str) -> Iterator[Operation]:
    for pattern in patterns:
        path = prefix + path_of(pattern)
        if isinstance(pattern, URLResolver):
            yield from _found(pattern.url_patterns, path)
        elif isinstance(pattern, URLPattern) and path.startswith(f"{PREFIX}/"):
            view = getattr(pattern.callback, "view_class", None)
            for method in ("GET", "POST", "PUT", "DELETE"):
                if view is not None and issubclass(view, ApiView) and hasattr(view, method.lower()):
                    yield _operation(view, method, path.removeprefix(PREFIX))


def _operation(view: type[ApiView], method: str, path: str) -> Operation:
    asked = view()
    asked.request = cast(Any, SimpleNamespace(method=method))  # views decide by the verb
    if not asked.get_authenticators():
        return Operation(method, path, needs_key=False)
    token = f"Token{view.token_kind.__name__}" if view.token_kind else ""
    if not asked.get_permissions():
        return Operation(method, path, needs_key=True, token_scheme=token)
    is_read, owner = method in view.read_methods, view.owner_is_enough
    return Operation(method, path, True, view.required_scope, is_read, owner, token)


def path_of(pattern: Any) -> str:
    """As the README writes it: parameters by their names on the wire, elements by their own spelling."""
    text = str(pattern.pattern).removeprefix("^").removesuffix("$")
    text = re.sub(r"\[(\w)\w\]", r"\1", text)
    text = re.sub(r"<(?:\w+:)?(\w+)>", lambda match: f"{{{to_wire(match[1])}}}", text)
    return re.sub(r"{(content|user|administrator)Id}", "{id}", text)
