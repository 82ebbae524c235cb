"""Pages out of Content itself: any rule in any order, as long as it takes (see CMS_STATEMENT_SECONDS)."""

from contents.columns import BY_NAME
from contents.conditions import Condition, join
from contents.list_request import FLAGS, ListRequest
from contents.models import ListKind
from contents.named import named
from contents.rules import Rules

_TABLES = (
    "contents_content c LEFT JOIN contents_contentbody b ON b.content_id = c.id "
    "JOIN cms_sites_site s ON s.id = c.site_id"
)
_DEFAULT_ORDER = ["c.is_top DESC", "c.channel_id DESC", "c.taxis DESC", "c.id DESC"]


def read(request: ListRequest, rules: Rules, keys: list[str]) -> Condition:
    """The page's ids as `id`."""
    found = _found(request, rules)
    sql = f"SELECT c.id FROM {_TABLES} WHERE {found.sql} ORDER BY {', '.join(keys)} LIMIT {request.limit}"
    return Condition(f"{sql} OFFSET %s", (*found.params, request.offset))


def count(request: ListRequest, rules: Rules) -> Condition:
    """The total."""
    found = _found(request, rules)
    return Condition(f"SELECT COUNT(*) FROM {_TABLES} WHERE {found.sql}", found.params)


def sort_keys(request: ListRequest, rules: Rules) -> list[str]:
    """The sort keys over `c`, `b` and `s`. Raises BadRequest for an unknown column."""
    if not request.orders:
        return _DEFAULT_ORDER
    keys = [rules.order(rule, f"orders[{place}]") for place, rule in enumerate(request.orders)]
    # The id ends every order, so that pages never overlap; in the last rule's direction, so that an
    # index can be walked.
    return [*keys, rules.sort_key(BY_NAME["id"], descending=request.orders[-1]["desc"])]


def _found(request: ListRequest, rules: Rules) -> Condition:
    conditions = [Condition("c.site_id = %s AND c.trashed_at IS NULL", (request.site_id,))]
    if not request.is_whole_site:
        below = "c.channel_id IN (SELECT channel_id FROM channels_app_channelancestor WHERE ancestor_id = %s)"
        conditions.append(Condition(below, (request.list_channel_id,)))
    for name, value in request.flags.items():
        column = f"c.{FLAGS[name][0]}"
        conditions.append(Condition(column if value else f"NOT {column}"))
    for kind, names in ((ListKind.GROUP, request.group_names), (ListKind.TAG, request.tag_names)):
        conditions += [named(kind, request.site_id, names)] if names else []
    conditions += (rules.where(rule, f"wheres[{place}]") for place, rule in enumerate(request.wheres))
    return join(conditions)
