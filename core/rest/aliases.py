"""Operations of SSCMS v7 whose paths v6 does not have: aliases of operations of v6 (docs/compatibility.md).

An alias is the view of its original with other names: it reads the members of the body by the names of v7 and v6, and
returns the record by the names of v7, without an envelope. Errors are the same as of the original.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, cast

import orjson
from django.http import HttpResponse
from django.urls import URLPattern, URLResolver, path
from rest_framework.request import Request

from core.lib.errors import InvalidInput
from core.rest.errors import JSON
from core.rest.fields import IntegerField, invalid
from core.rest.json import ValueRenderer, dump
from core.rest.operations import path_of
from core.rest.views import ApiView

MAX_ID_OF_LIST = 10**18 - 1


@dataclass(frozen=True, slots=True)
class Shape:
    """A record of v7: how it differs from the record of v6."""

    record: str  # the schema of v6 in the OpenAPI document
    names: Mapping[str, str]  # v7 → v6, where they differ
    lists: Mapping[str, type] = field(default_factory=dict)  # of these in v7; comma-separated texts in v6
    left_out: frozenset[str] = frozenset()

    def to_v6(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return the body by the names of v6. Raises `InvalidInput` for a member sent by both names."""
        by_folded = {v7.casefold(): v7 for v7 in self.names}
        found: dict[str, Any] = {}
        sent: dict[str, str] = {}
        for name, value in body.items():
            v7 = by_folded.get(name.casefold(), "")
            own = self.names.get(v7, name)
            other = sent.setdefault(own.casefold(), name)
            if other != name:
                message = f"{other} and {name} are the same member; send only one of them."
                raise InvalidInput("duplicate_member", message, member=name)
            is_list = v7 in self.lists and value is not None
            found[own] = _joined(value, name, self.lists[v7]) if is_list else value
        return found

    def to_v7(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """Return the record by the names of v7; custom fields with one of these names are left out."""
        named = self.to_v7_names(record)
        return named | {name: self._split(named[name], name) for name in self.lists if name in named}

    def to_v7_names(self, members: Mapping[str, Any]) -> dict[str, Any]:
        by_v6 = {v6: v7 for v7, v6 in self.names.items()}
        out = {name.casefold() for name in self.left_out.union(self.names)}
        return {by_v6.get(name, name): value for name, value in members.items() if name.casefold() not in out}

    def _split(self, text: str, name: str) -> list[Any]:
        parts = [part for each in text.split(",") if (part := each.strip())]
        return [int(part) for part in parts if part.isdecimal()] if self.lists[name] is int else parts


_ID = IntegerField(min_value=0, max_value=MAX_ID_OF_LIST)


def _joined(value: Any, name: str, kind: type) -> str:
    if isinstance(value, list) and kind is int:
        return ",".join(str(_ID.read(each, name)) for each in value)
    if not isinstance(value, list) or not all(isinstance(each, str) and "," not in each for each in value):
        raise invalid(name, "a list of ids" if kind is int else "a list of texts without commas")
    return ",".join(value)


CONTENT = Shape(
    "Content",
    {
        "body": "content",
        "checked": "isChecked",
        "top": "isTop",
        "recommend": "isRecommend",
        "hot": "isHot",
        "color": "isColor",
        "groupNames": "groupNameCollection",
        "tagNames": "tags",
        "lastModifiedDate": "lastEditDate",
    },
    lists={"groupNames": str, "tagNames": str},
)
CHANNEL = Shape(
    "Channel",
    {"groupNames": "groupNameCollection"},
    lists={"groupNames": str, "parentsPath": int},
    left_out=frozenset({"children"}),
)
_PASSWORD = frozenset({"password", "passwordFormat", "passwordSalt"})
ADMINISTRATOR = Shape(
    "Administrator",
    {"locked": "isLockedOut", "siteIds": "siteIdCollection", "createdDate": "creationDate"},
    lists={"siteIds": int},
    left_out=_PASSWORD,
)
USER = Shape(
    "User",
    {"checked": "isChecked", "locked": "isLockedOut", "createdDate": "createDate"},
    left_out=_PASSWORD,
)


@dataclass(frozen=True, slots=True)
class Alias:
    """A POST of v7 that stands for an operation of v6."""

    path: str  # below /api/v1, with the parameters of the original, in any order
    original: tuple[str, str]  # method and path
    shape: Shape


_CONTENT, _CHANNEL = "/contents/{siteId}/{channelId}/{id}", "/channels/{siteId}/{channelId}"
_ADMINISTRATOR, _USER = "/administrators/{id}", "/users/{id}"
ALIASES = (
    Alias("/contents/{siteId}/{channelId}/{id}/actions/update", ("PUT", _CONTENT), CONTENT),
    Alias("/contents/{siteId}/{channelId}/{id}/actions/delete", ("DELETE", _CONTENT), CONTENT),
    Alias("/channels/{siteId}/{channelId}/actions/update", ("PUT", _CHANNEL), CHANNEL),
    Alias("/channels/{siteId}/{channelId}/actions/delete", ("DELETE", _CHANNEL), CHANNEL),
    Alias("/administrators/{id}/actions/update", ("PUT", _ADMINISTRATOR), ADMINISTRATOR),
    Alias("/administrators/{id}/actions/delete", ("DELETE", _ADMINISTRATOR), ADMINISTRATOR),
    Alias("/users/{id}/actions/update", ("PUT", _USER), USER),
    Alias("/users/{id}/actions/delete", ("DELETE", _USER), USER),
)


def patterns(served: list[URLResolver]) -> list[URLPattern]:
    """Return the URL patterns of the aliases; `served` contains the patterns of their originals."""
    found = {f"/{path_of(pattern)}": pattern for each in served for pattern in each.url_patterns}
    return [_pattern(alias, found[alias.original[1]]) for alias in ALIASES]


def _pattern(alias: Alias, original: Any) -> URLPattern:
    declared = re.findall(r"<[^>]+>", str(original.pattern))
    by_wire_name = dict(zip(re.findall(r"{\w+}", alias.original[1]), declared, strict=True))
    route = re.sub(r"{\w+}", lambda match: by_wire_name[match[0]], alias.path.removeprefix("/"))
    view = original.callback.view_class
    members = {"alias": alias, "alias_of": alias.original, "__module__": view.__module__}
    made: type[_AliasView] = type(f"{view.__name__}Alias", (_AliasView, view), members)
    return path(route, made.as_view())


class _AliasView(ApiView):
    """Base of the view of an alias, before the view of its original."""

    http_method_names = ["post"]
    alias: ClassVar[Alias]

    def post(self, request: Request, **place: int) -> HttpResponse:
        change: Callable[..., Any] = getattr(super(), self.alias.original[0].lower())
        response = change(request, **place)
        # A channel comes as bytes.
        is_rendered = not hasattr(response, "data")
        content = response.content if is_rendered else ValueRenderer().render(response.data, None, None)
        return HttpResponse(dump(self.alias.shape.to_v7(orjson.loads(content)["value"])), JSON)

    def require_place(self, **place: int) -> None:
        cast(Any, self).get(self.request, **place)

    @property
    def body(self) -> dict[str, Any]:
        return self.alias.shape.to_v6(super().body)
