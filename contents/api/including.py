"""The parameter `include`: channels and referenced contents, once for all contents of a response."""

from collections.abc import Sequence
from typing import Any

from channels_app.tree import contents as contents_of_channels
from channels_app.tree import tree_of
from contents.lists.fragments import OF_LISTS, read_fragments
from contents.sql_fragments import among, fetch
from contents.wire.records import selection_of
from core.lib.errors import NotPermitted
from core.rest.fields import invalid
from core.rest.json import dump
from core.rest.views import Grant

CHANNEL_MEMBERS = ("id", "channelName", "indexName", "parentId", "navigationUrl")
CONTENT_MEMBERS = (
    *("id", "channelId", "title", "subTitle", "summary", "author", "source", "tags", "addDate"),
    *("imageUrl", "videoUrl", "fileUrl", "linkUrl", "navigationUrl"),
)
_CHANNELS = "Channels"  # scope


def read_include(names: Sequence[str], grant: Grant) -> list[str]:
    """Return the names in lower case. Raises InvalidInput, and NotPermitted for channels without their scope."""
    wanted = [name.casefold() for name in names]
    if not set(wanted) <= {"channel", "reference"}:
        raise invalid("include", "channel, reference or both")
    if "channel" in wanted and not any(scope.value == _CHANNELS for scope in grant.scopes):
        needed = f"{_CHANNELS}:read"
        raise NotPermitted("scope_missing", f"To include channels, the key needs the scope {needed}.", scope=needed)
    return wanted


def read_included(wanted: Sequence[str], site_id: int, ids: Sequence[int]) -> bytes:
    """Return, as JSON, the channels and the approved referenced contents of these contents of the site, by id."""
    found: dict[str, Any] = {}
    if "channel" in wanted:
        found["channels"] = _channels(site_id, ids)
    if "reference" in wanted:
        found["references"] = _references(site_id, ids)
    return dump(found)


def _channels(site_id: int, ids: Sequence[int]) -> dict[str, Any]:
    chosen = among("c.id", ids)
    rows = fetch(
        "SELECT DISTINCT c.channel_id, v.number FROM contents_content c "
        f"LEFT JOIN channels_app_treeversion v ON v.site_id = c.site_id WHERE {chosen.sql} ORDER BY c.channel_id",
        chosen.params,
    )
    if not rows:
        return {}
    tree = tree_of(site_id, rows[0][1])
    with tree.lock:
        tree.renew_addresses(contents_of_channels())
        shown = [tree.channels[channel_id] for channel_id, _ in rows if channel_id in tree.channels]
        return {str(channel["id"]): {name: channel[name] for name in CHANNEL_MEMBERS} for channel in shown}


def _references(site_id: int, ids: Sequence[int]) -> dict[str, Any]:
    chosen = among("r.id", ids)
    where = (
        f"c.id IN (SELECT r.reference_id FROM contents_content r WHERE {chosen.sql}) "
        "AND c.site_id = %s AND c.is_checked AND c.trashed_at IS NULL"
    )
    found = read_fragments(where, (*chosen.params, site_id), OF_LISTS, selection_of(frozenset(CONTENT_MEMBERS)))
    return {str(pk): found[pk].json for pk in sorted(found)}
