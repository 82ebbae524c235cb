"""What the rows of a site's file hold: the columns of the models, by the names that the API has for them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import models

from channels_app.models import Channel
from cms_api.operation.backup import kinds
from cms_api.rest.names import to_wire
from contents.models import Content, ContentBody, ContentGroup, ContentTag, CustomField, LastTaxis
from sites.models import Site
from transfer.columns import Columns
from transfer.package import PackageError

# What stands in another row than the others of its kind, where there is one.
BODY, LAST_TAXIS = "body__text", "last_taxis__taxis"
_INT64 = range(-(2**63), 2**63)
_TYPES: Mapping[str, tuple[type[Any], str]] = {
    kinds.INTEGER: (int, "a whole number"),
    kinds.BOOLEAN: (bool, "true or false"),
    kinds.TEXT: (str, "a text"),
    kinds.TIME: (str, "a time such as 2026-01-31T08:00:00"),
    kinds.JSON: (dict, "an object"),
}


@dataclass(frozen=True, slots=True)
class Member:
    """A member by its name in the file, with where it stands in the database and what it may be."""

    name: str
    lookup: str
    kind: str
    is_nullable: bool
    choices: frozenset[str]

    def read(self, value: Any) -> Any:
        """The value as the model has it. Raises ValueError with the reason."""
        if value is None and self.is_nullable:
            return None
        wanted, words = _TYPES[self.kind]
        if type(value) is not wanted:  # exactly, since true is a number to Python
            raise ValueError(f"It must be {words}.")
        if wanted is str and "\0" in value:
            raise ValueError("It has a NUL character, which cannot be stored.")
        if wanted is int and value not in _INT64:
            raise ValueError("It is a number beyond 64 bits.")
        if self.choices and value not in self.choices:
            raise ValueError(f"It must be one of {', '.join(sorted(self.choices))}.")
        return _read_time(value) if self.kind == kinds.TIME else value


def _read_time(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is not None:
        raise ValueError(f"It must be {_TYPES[kinds.TIME][1]}, without a time zone.")
    return moment


class RowKind:
    """A kind of rows of one model; without what follows from other rows, or belongs to the place of the site."""

    def __init__(self, name: str, model: type[models.Model], left_out: set[str], **others: tuple[str, Any]) -> None:
        own = [_member(field, field.attname) for field in model._meta.concrete_fields if field.attname not in left_out]
        self.name, self.model = name, model
        self.members = (*own, *(_member(field, lookup, name) for name, (lookup, field) in others.items()))
        self.lookups = [member.lookup for member in self.members]
        self._names = {member.name for member in self.members}
        self._columns = Columns(model)

    def read(self, members: Mapping[str, Any], place: str) -> dict[str, Any]:
        """The values of a row by their lookups. Raises PackageError, which says that it is at that place."""
        if missing := self._names - members.keys():
            raise PackageError("It is missing.", file=place, element=f"member {min(missing)}")
        if unknown := members.keys() - self._names:
            raise PackageError(f"Rows of the kind {self.name} have no such member.", file=place, element=min(unknown))
        values = {}
        for member in self.members:
            try:
                values[member.lookup] = member.read(members[member.name])
            except ValueError as error:
                raise PackageError(str(error), file=place, element=f"member {member.name}") from error
        self._columns.check({name: value for name, value in values.items() if value is not None}, place)
        return values


def _member(field: Any, lookup: str, name: str = "") -> Member:
    # What stands in another row is missing where that row is.
    is_nullable = field.null or bool(name)
    choices = frozenset(value for value, _ in field.choices or ())
    return Member(name or to_wire(lookup), lookup, kinds.kind_of(field), is_nullable, choices)


SITE = RowKind("site", Site, {"parent_id", "taxis", "web_url"})
FIELD = RowKind("field", CustomField, {"id", "site_id", "folded_name"})
GROUP = RowKind("group", ContentGroup, {"id", "site_id"})
TAG = RowKind("tag", ContentTag, {"id", "site_id"})
CHANNEL = RowKind("channel", Channel, {"site_id"}, lastTaxis=(LAST_TAXIS, LastTaxis._meta.get_field("taxis")))
CONTENT = RowKind("content", Content, {"site_id"}, body=(BODY, ContentBody._meta.get_field("text")))
# In the order of the file: what is referred to comes before what refers to it.
ROWS = {kind.name: kind for kind in (SITE, FIELD, GROUP, TAG, CHANNEL, CONTENT)}
