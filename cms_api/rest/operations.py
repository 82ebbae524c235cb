"""Every operation of the API: what it is, and what it asks of a key, as the views themselves say it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, cast

from django.urls import URLPattern, URLResolver, get_resolver
from django.utils.functional import Promise

from cms_api.lib.registrations import registered
from cms_api.rest.names import to_wire
from cms_api.rest.views import ApiView

PREFIX = "/api/v1"


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
        words: str | Promise = registered("SUMMARIES").get((self.method, self.path), "")
        return words


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
