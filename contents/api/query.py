"""The query of a GET list as a ListRequest: the parameters that the older original had."""

from typing import Any, cast

from django.conf import settings
from rest_framework.request import Request

from cms_api.lib.errors import InvalidInput
from cms_api.rest.names import refuse_two_spellings, to_wire
from cms_api.rest.pagination import DEFAULT_TOP, Window
from cms_api.rest.rules import OrderRule
from contents.api.filters import Chosen, ContentFilters, SiteContentFilters, rule_of
from contents.lists.request import ListRequest, refuse_many
from contents.rules.writer import Rules

_OTHERS = {"top", "skip", "like", "orderby", "fields"}
_RESERVED = _OTHERS | {to_wire(name).casefold() for name in SiteContentFilters.base_filters}
_MAX_UNKNOWN = 100  # parameters that may be custom fields; further ones are ignored
_DIRECTIONS = {"asc": False, "desc": True}


def window_of(request: Request) -> Window:
    """The page that is asked for. Raises InvalidInput for one that is too large."""
    window = Window.of(request) or Window(DEFAULT_TOP, 0)
    if window.top > settings.CMS_MAX_PER_PAGE:
        message = f"top is {window.top}; at most {settings.CMS_MAX_PER_PAGE} contents are listed at once."
        raise InvalidInput("page_too_large", message, member="top")
    return window


def read_query(
    request: Request, window: Window, rules: Rules, site_id: int, channel_id: int | None = None
) -> ListRequest:
    """What the query asks for, of a channel with everything below it or of the site; `rules` are those of the site.

    Raises InvalidInput for what cannot be read, and NotFound for a site that there is not.
    """
    refuse_two_spellings(name for name in request.query_params if name.casefold() in _OTHERS)
    liked = frozenset(name.casefold() for name in names_of(request, "like"))
    filters: Any = SiteContentFilters if channel_id is None else ContentFilters
    chosen: Chosen = filters.chosen(request, cast(Any, Chosen(site_id, liked)))
    _add_custom(chosen, request, rules)
    refuse_many("filters", len(chosen.wheres), settings.CMS_MAX_RULES)
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
    """The comma-separated texts of a parameter, whose name is sent in any letter case."""
    found = (str(text) for name, text in request.query_params.items() if name.casefold() == parameter.casefold())
    return [part for part in map(str.strip, next(found, "").split(",")) if part]


def _orders(request: Request) -> tuple[OrderRule, ...]:
    texts = names_of(request, "orderBy")
    refuse_many("orderBy", len(texts), settings.CMS_MAX_RULES)
    return tuple(map(_order, texts))


def _order(text: str) -> OrderRule:
    column, _, last = text.rpartition(" ")
    if column.strip() and last.casefold() in _DIRECTIONS:
        return OrderRule(column, _DIRECTIONS[last.casefold()], "orderBy")
    return OrderRule(text, False, "orderBy")


def _add_custom(chosen: Chosen, request: Request, rules: Rules) -> None:
    sent = {name: str(text) for name, text in request.query_params.items() if text and _may_be_custom(name)}
    folded = list(dict.fromkeys(name.strip().casefold() for name in sent))[:_MAX_UNKNOWN]
    rules.look_up(folded)
    known = [name for name in sent if name.strip().casefold() in folded and rules.find(name)]
    refuse_two_spellings(known)
    for name in known:
        chosen.add(rule_of(name.strip(), "=", sent[name], name))


def _may_be_custom(name: str) -> bool:
    return bool(name.strip()) and name.strip().casefold() not in _RESERVED
