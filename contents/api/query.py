"""The query string of a GET list as a ListRequest, with the parameters of earlier SiteServer versions."""

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import Any, cast

from django.conf import settings
from django_filters import Filter
from rest_framework.request import Request

from channels_app.stl import in_groups
from channels_app.tree import read_tree
from contents.flags import FLAGS
from contents.lists.request import MAX_RULES, ListRequest, raise_if_too_many
from contents.rules.sql import MAX_IN_VALUES, Rules
from contents.wire.columns import COLUMNS, Column
from contents.wire.serializers import ContentSerializer
from core.lib.errors import InvalidInput
from core.rest.fields import invalid, read_boolean, read_integer
from core.rest.filters import WireFilterSet
from core.rest.names import raise_if_two_spellings, to_wire
from core.rest.pagination import DEFAULT_TOP, Window
from core.rest.rules import Expression, OrderRule, Rule

_FLAGS = {column: flag for flag, column in FLAGS.items()}
_DATE_LENGTH = len("2026-11-20")
_MAX_UNKNOWN = 100  # parameters that may be custom fields; further ones are ignored


@dataclass(slots=True)
class Chosen:
    """The parsed parameters; members in `liked` (small letters) are searched for a part."""

    site_id: int
    liked: frozenset[str] = frozenset()
    flags: dict[str, bool] = field(default_factory=dict)
    wheres: list[Expression] = field(default_factory=list)
    group_names: tuple[str, ...] = ()
    tag_names: tuple[str, ...] = ()
    channel_ids: frozenset[int] | None = None
    names_approval: bool = False

    def add(self, rule: Rule) -> None:
        """Add the rule, as a search for a part if its column is in `liked`."""
        folded = rule.column.casefold()
        self.names_approval |= folded == "ischecked"
        self.wheres.append(replace(rule, operator="Contains") if folded in self.liked else rule)

    def narrow(self, channel_ids: frozenset[int]) -> None:
        self.channel_ids = channel_ids if self.channel_ids is None else self.channel_ids & channel_ids


def _without_nul(text: str, name: str) -> str:
    if "\0" in text:
        raise invalid(name, "a text without NUL characters")
    return text


def _rule_of(column: str, operator: str, text: str, name: str) -> Rule:
    return Rule(column, operator, _without_nul(text, name), name, name)


class MemberFilter(Filter):
    """Match a member: the whole value, or a part if `like` names it."""

    def __init__(self, column: Column, **options: Any) -> None:
        super().__init__(column.name, **options)
        self.column = column

    def read(self, text: str, name: str) -> Rule:
        return _rule_of(self.column.wire, "=", text, name)

    def filter(self, qs: Chosen, value: Rule) -> Chosen:
        flag = _FLAGS.get(self.column.name)
        if flag is None or self.column.wire.casefold() in qs.liked:
            qs.add(value)
        else:
            qs.flags[flag] = read_boolean(value.value, value.name)
        return qs


class BoundFilter(Filter):
    """Bound of a date; an upper bound without a time includes the whole day."""

    def __init__(self, column: str, operator: str, **options: Any) -> None:
        super().__init__(column, "gte" if operator == ">=" else "lte", **options)
        self._operator = operator

    def read(self, text: str, name: str) -> Rule:
        is_whole_day = self._operator == "<=" and len(text.strip()) == _DATE_LENGTH
        return _rule_of(self.field_name, self._operator, f"{text.strip()} 23:59:59" if is_whole_day else text, name)

    def filter(self, qs: Chosen, value: Rule) -> Chosen:
        qs.wheres.append(value)
        return qs


class NameFilter(Filter):
    """Match a group or tag by name."""

    def __init__(self, target: str, **options: Any) -> None:
        super().__init__(**options)
        self._target = target

    def read(self, text: str, name: str) -> str:
        return _without_nul(text, name).strip(" ")

    def filter(self, qs: Chosen, value: str) -> Chosen:
        if value:
            setattr(qs, self._target, (value,))
        return qs


class ChannelIdsFilter(Filter):
    """Match these channels themselves, comma-separated."""

    def read(self, text: str, name: str) -> frozenset[int]:
        texts = [part for part in text.split(",") if part.strip()]
        if len(texts) > MAX_IN_VALUES:
            raise invalid(name, f"a list of at most {MAX_IN_VALUES} values")
        return frozenset(read_integer(part, name) for part in texts)

    def filter(self, qs: Chosen, value: frozenset[int]) -> Chosen:
        qs.narrow(value)
        return qs


class ChannelGroupFilter(Filter):
    """Match the channels of this channel group."""

    def read(self, text: str, name: str) -> str:
        return text.strip()

    def filter(self, qs: Chosen, value: str) -> Chosen:
        channels = read_tree(qs.site_id).channels.values()
        qs.narrow(frozenset(channel["id"] for channel in channels if in_groups(channel, [value])))
        return qs


_FIELDS = ContentSerializer.field_table()
_MemberFilters: Any = type(
    "_MemberFilters",
    (WireFilterSet,),
    {column.name: MemberFilter(column, help_text=_FIELDS[column.name].help_text) for column in COLUMNS},
)


class ContentFilters(_MemberFilters):
    add_date_from = BoundFilter("addDate", ">=", help_text="Added at this time or later.")
    add_date_to = BoundFilter(
        "addDate", "<=", help_text="Added at this time or earlier; a date without a time includes the whole day."
    )
    last_edit_date_from = BoundFilter("lastEditDate", ">=", help_text="Last edited at this time or later.")
    last_edit_date_to = BoundFilter(
        "lastEditDate",
        "<=",
        help_text="Last edited at this time or earlier; a date without a time includes the whole day.",
    )
    content_group = NameFilter("group_names", help_text="In the content group with this name.")
    tag = NameFilter("tag_names", help_text="With this tag.")


class SiteContentFilters(ContentFilters):
    channel_ids = ChannelIdsFilter(help_text="In these channels, but not in those below them; comma-separated ids.")
    channel_group = ChannelGroupFilter(help_text="In the channels of the channel group with this name.")


class SearchFilters(SiteContentFilters):
    """The place is a parameter of its own."""

    site_id = None
    channel_id = None


# ---- the whole query

_OTHERS = {"top", "skip", "like", "orderby", "fields", "include"}
_RESERVED = _OTHERS | {to_wire(name).casefold() for name in SiteContentFilters.base_filters}


def window_of(request: Request) -> Window:
    """The requested page. Raises InvalidInput if it is too large."""
    window = Window.of(request) or Window(DEFAULT_TOP, 0)
    if window.top > settings.CMS_MAX_PER_PAGE:
        message = f"top is {window.top}; at most {settings.CMS_MAX_PER_PAGE} contents are listed at once."
        raise InvalidInput("page_too_large", message, member="top")
    return window


def read_query(
    request: Request,
    window: Window,
    rules: Rules,
    site_id: int,
    channel_id: int | None = None,
    *,
    of_search: frozenset[str] = frozenset(),
) -> ListRequest:
    """Parse the query, for one channel or the site. Raises InvalidInput, and NotFound for a missing site.

    `of_search`: the further parameters of a search.
    """
    raise_if_two_spellings(name for name in request.query_params if name.casefold() in _OTHERS)
    liked = frozenset(name.casefold() for name in names_of(request, "like"))
    filters: Any = SearchFilters if of_search else SiteContentFilters if channel_id is None else ContentFilters
    chosen: Chosen = filters.chosen(request, cast(Any, Chosen(site_id, liked)))
    _add_custom(chosen, request, rules, _RESERVED | of_search)
    raise_if_too_many("filters", len(chosen.wheres), MAX_RULES)
    if not chosen.names_approval:
        chosen.flags.setdefault("checked", True)
    return ListRequest(
        site_id,
        channel_id,
        **chosen.flags,  # type: ignore[arg-type]  # names of flags
        group_names=chosen.group_names,
        tag_names=chosen.tag_names,
        wheres=tuple(chosen.wheres),
        orders=_orders(request),
        fields=tuple(names_of(request, "fields")),
        channel_ids=None if chosen.channel_ids is None else tuple(sorted(chosen.channel_ids)),
        per_page=window.top,
        skip=window.skip,
        is_by_taxis=True,
    )


def names_of(request: Request, parameter: str) -> list[str]:
    """The comma-separated values of a parameter; its name matches in any letter case."""
    found = (str(text) for name, text in request.query_params.items() if name.casefold() == parameter.casefold())
    return [part for part in map(str.strip, next(found, "").split(",")) if part]


def _orders(request: Request) -> tuple[OrderRule, ...]:
    texts, rules = names_of(request, "orderBy"), []
    raise_if_too_many("orderBy", len(texts), MAX_RULES)
    for text in texts:
        column, _, last = text.rpartition(" ")
        direction = last.casefold()
        if column.strip() and direction in {"asc", "desc"}:
            rules.append(OrderRule(column, direction == "desc", "orderBy"))
        else:
            rules.append(OrderRule(text, False, "orderBy"))
    return tuple(rules)


def _add_custom(chosen: Chosen, request: Request, rules: Rules, reserved: Collection[str]) -> None:
    sent = {
        name: str(text)
        for name, text in request.query_params.items()
        if text and name.strip() and name.strip().casefold() not in reserved
    }
    folded = list(dict.fromkeys(name.strip().casefold() for name in sent))[:_MAX_UNKNOWN]
    rules.look_up(folded)
    known = [name for name in sent if name.strip().casefold() in folded and rules.find(name)]
    raise_if_two_spellings(known)
    for name in known:
        chosen.add(_rule_of(name.strip(), "=", sent[name], name))
