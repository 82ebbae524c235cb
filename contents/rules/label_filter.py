"""Contents by the names of their groups and tags."""

from collections.abc import Sequence

from contents.models import ListKind
from contents.rules.conditions import Condition

# The table of a kind's names, and their column.
_TABLES = {ListKind.GROUP: ("contents_contentgroup", "group_name"), ListKind.TAG: ("contents_contenttag", "tag_name")}


def named(kind: ListKind, site_id: int, names: Sequence[str]) -> Condition:
    """The content `c` is in any of the site's groups, or has any of its tags, of these names; at least one is given."""
    table, column = _TABLES[kind]
    marks = ", ".join(["%s"] * len(names))
    sql = (
        f"c.id IN (SELECT l.content_id FROM contents_listedcontent l JOIN {table} n ON n.id = l.owner_id "
        f"WHERE l.kind = {kind.value} AND n.site_id = %s AND n.{column} IN ({marks}))"
    )
    return Condition(sql, (site_id, *names))
