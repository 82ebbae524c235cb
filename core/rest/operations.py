"""Every operation of the API and its key requirements, collected from the views."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any, cast

from django.urls import URLPattern, URLResolver, get_resolver
from django.utils.functional import Promise

from core.lib.registrations import SUMMARIES
from core.rest.names import to_wire
from core.rest.views import ApiView

PREFIX = "/api/v1"


@dataclass(frozen=True, slots=True)
class Operation:
    method: str
    path: str  # below PREFIX, such as /contents/{siteId}/{channelId}
    needs_key: bool
    scope: str = ""  # empty: any key is accepted, or none is needed, or one of any_scope
    is_read: bool = False
    owner_is_enough: bool = False  # the access token of the path's user replaces the key and its scope
    token_scheme: str = ""  # in the OpenAPI document, instead of the key's
    is_deprecated: bool = False
    alias_of: tuple[str, str] | None = None  # method and path
    any_scope: tuple[str, ...] = ()
    key_is_optional: bool = False  # without a key, an operation allows less

    @property
    def original(self) -> tuple[str, str]:
        """Return method and path; for an alias, of its original operation."""
        return self.alias_of or (self.method, self.path)

    @property
    def summary(self) -> str | Promise:
        return SUMMARIES.entries.get(self.original, "")


def operations() -> tuple[Operation, ...]:
    return tuple(_found(get_resolver().url_patterns, "/"))


def _found(patterns: list[Any], prefix: str) -> Iterator[Operation]:
    for pattern in patterns:
        path = prefix + path_of(pattern)
        if isinstance(pattern, URLResolver):
            yield from _found(pattern.url_patterns, path)
        elif isinstance(pattern, URLPattern) and path.startswith(f"{PREFIX}/"):
            view = getattr(pattern.callback, "view_class", None)
            for method in ("GET", "POST", "PUT", "DELETE"):
                if view is not None and issubclass(view, ApiView) and has_method(view, method):
                    found = _operation(view, method, path.removeprefix(PREFIX))
                    is_deprecated = hasattr(getattr(view, method.lower()), "deprecation_headers")
                    yield replace(found, is_deprecated=is_deprecated, alias_of=view.alias_of)


def has_method(view: type[ApiView], method: str) -> bool:
    return view.is_described and method.lower() in view.http_method_names and hasattr(view, method.lower())


def _operation(view: type[ApiView], method: str, path: str) -> Operation:
    asked = view()
    asked.request = cast(Any, SimpleNamespace(method=method))  # views decide by the method
    if not asked.get_authenticators():
        return Operation(method, path, needs_key=False)
    token = f"Token{view.token_kind.__name__}" if view.token_kind else ""
    if not asked.get_permissions():
        return Operation(method, path, needs_key=True, any_scope=view.any_scope, token_scheme=token)
    is_read, owner = method in view.read_methods, view.owner_is_enough
    found = Operation(method, path, True, view.required_scope, is_read, owner, token)
    return replace(found, key_is_optional=view.key_is_optional)


def path_of(pattern: Any) -> str:
    """Return the path as the documentation spells it: parameters by wire name, elements in their own spelling."""
    text = str(pattern.pattern).removeprefix("^").removesuffix("$")
    text = re.sub(r"\[(\w)\w\]", r"\1", text)
    text = re.sub(r"<(?:\w+:)?(\w+)>", lambda match: f"{{{to_wire(match[1])}}}", text)
    return re.sub(r"{(content|user|administrator|webhook|media|folder|entry)Id}", "{id}", text)
