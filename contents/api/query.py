"""The query of a GET list as a ListRequest: the parameters that the older original had."""

from collections.abc import Iterable
from typing import Any, cast

from django.conf import settings
from rest_framework.request import Request

from cms_api.rest.errors import BadRequest
from cms_api.rest.names import refuse_two_spellings, to_wire
from cms_api.rest.paging import DEFAULT_TOP, Window
from contents.api.filters import Chosen, ContentFilters, SiteContentFilters, rule_of
from contents.lists.request import ListRequest, refuse_many
from contents.models import CustomField
from contents.rules.rule import OrderRule

_OTHERS = {"top", "skip", "like", "orderby", "fields"}
_RESERVED = _OTHERS | {to_wire(name).casefold() for name in SiteContentFilters.base_filters}
_MAX_UNKNOWN = 100  # parameters that may be custom fields; further ones are ignored
_DIRECTIONS = {"asc": False, "desc": True}


def window_of(request: Request) -> Window:
    """The page that is asked for. Raises BadRequest for one that is too large."""
    window = Window.of(request) or Window(DEFAULT_TOP, 0)
    if window.top > settings.CMS_MAX_PER_PAGE:
        message = f"top is {window.top}; at most {settings.CMS_MAX_PER_PAGE} contents are listed at once."
        raise BadRequest("page_too_large", message, member="top")
    return window


def read_query(request: Request, window: Window, site_id: int, channel_id: int | None = None) -> ListRequest:
    """What the query asks for, of a channel with everything below it or of the site.

    Raises BadRequest for what cannot be read, and NotFound for a site that there is not.
    """
    refuse_two_spellings(name for name in request.query_params if name.casefold() in _OTHERS)
    liked = frozenset(name.casefold() for name in names_of(request, "like"))
    filters: Any = SiteContentFilters if channel_id is None else ContentFilters
    chosen: Chosen = filters.chosen(request, cast(Any, Chosen(site_id, liked)))
    _add_custom(chosen, request)
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


def _add_custom(chosen: Chosen, request: Request) -> None:
    sent = {name: str(text) for name, text in request.query_params.items() if text and _may_be_custom(name)}
    for name in _known(chosen.site_id, sent):
        chosen.add(rule_of(name.strip(), "=", sent[name], name))


def _may_be_custom(name: str) -> bool:
    # No name of a field holds a NUL character, which a database may refuse.
    return bool(name.strip()) and "\0" not in name and name.strip().casefold() not in _RESERVED


def _known(site_id: int, names: Iterable[str]) -> list[str]:
    by_folded: dict[str, list[str]] = {}
    for name in names:
        by_folded.setdefault(name.strip().casefold(), []).append(name)
    if not by_folded:
        return []
    rows = CustomField.objects.filter(site_id=site_id, folded_name__in=list(by_folded)[:_MAX_UNKNOWN])
    known = [name for folded in rows.values_list("folded_name", flat=True) for name in by_folded[folded]]
    refuse_two_spellings(known)
    return known
