"""Remembers the addresses that changes of contents, channels and rules take away from pages."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from channels_app.models import TreeVersion
from channels_app.page_paths import Pages, content_pages
from channels_app.tree import read_tree
from contents.models import Content
from contents.navigation.page_urls import DATE_PARTS, SYNONYMS, page_paths, read_rows
from contents.sql_fragments import among
from contents.storing.history import COUNTERS, PreviousValues
from contents.storing.locking import by_site
from contents.wire.columns import BY_FOLDED_WIRE
from contents.wire.records import selection_of
from core.rest.names import to_wire
from pages import former_addresses, former_rules
from pages.resolver import inside_paths
from sites.page_rules import CONTENT_RULE, Parts, fill, parse_rule, token_names

_NEVER_IN_PATHS = COUNTERS | {"checked_level", "last_edit_date", "last_edit_user_name"}


# ---- contents


def remember_contents(changes: Sequence[tuple[Content, PreviousValues]], **_: Any) -> None:
    """Remember the pages of approved contents before changes are stored, unless ids in their paths identify them.

    At most one statement for a site whose rules all show ids.
    """
    before = {content.pk: values.members for content, values in changes if _was_approved(content, values)}
    for site_id, contents in by_site(content for content, _values in changes if content.pk in before).items():
        pages = _pages_of(contents[0])
        if pages and (moving := [each.pk for each in contents if _moves(pages, each.channel_id, before[each.pk])]):
            former_addresses.remember(site_id, _stored_paths(site_id, moving))


def _was_approved(content: Content, before: PreviousValues) -> bool:
    return bool(before.members.get("is_checked", content.is_checked)) and not _NEVER_IN_PATHS.issuperset(before.members)


def _pages_of(content: Content) -> Pages | None:
    number = getattr(content, "tree_number", None)  # as lock_content reads it
    if number is None:
        number = TreeVersion.objects.filter(site=content.site_id).values_list("number", flat=True).first()
    return content_pages(content.site_id, number)


def _moves(pages: Pages, channel_id: int, before: Mapping[str, Any]) -> bool:
    """Return whether the change may end a path that needs a row, immediately or while the content is withdrawn."""
    channel_id = before.get("channel_id", channel_id)
    if channel_id not in pages.channel_ids or not _needs_rows(rule := pages.content_rule(channel_id)):
        return False
    members = {_member(token) for token in token_names(parse_rule(rule))}
    has_custom = not members <= BY_FOLDED_WIRE.keys()
    changed = {to_wire(name).casefold() for name in before}
    return (
        not before.keys().isdisjoint({"channel_id", "is_checked"})
        or not members.isdisjoint(changed)
        or (has_custom and "settingsxml" in changed)
    )


def _member(token: str) -> str:
    if token in DATE_PARTS:
        return "adddate"
    name = SYNONYMS.get(token, token)
    return name if name in BY_FOLDED_WIRE else name.removeprefix("lower")


def _needs_rows(rule: str) -> bool:
    # The page at a {@sequence} is another one after every approval, so nothing remembers it.
    return not former_rules.shows_id(rule) and "sequence" not in token_names(parse_rule(rule))


def _stored_paths(site_id: int, ids: Sequence[int]) -> list[former_addresses.Row]:
    selection, chosen = selection_of(frozenset({"navigationUrl"})), among("c.id", ids)
    where = f"c.site_id = %s AND {chosen.sql}"
    rows = read_rows(selection.select, where, [site_id, *chosen.params], with_body=False)
    records = selection.make_records(rows, rows[0][1], 2)
    paths = page_paths(records, rows[0][0])
    return [(path, None, record["id"]) for record, path in zip(records, paths, strict=True)]


# ---- channels and rules


@contextmanager
def remember_pages(site_id: int) -> Iterator[None]:
    """Remember the pages of channels and contents, and the rules, that the block takes away."""
    before = read_tree(site_id)
    paths, pages = inside_paths(before), content_pages(site_id, before.number)
    yield
    after = read_tree(site_id)
    if after is before:
        return
    new_paths, new_pages = inside_paths(after), content_pages(site_id, after.number)
    moved = [(path, pk, None) for pk, path in paths.items() if new_paths.get(pk) != path]
    former_addresses.remember(site_id, moved)
    former_rules.remember(site_id, former_rules.rules_of(pages) - former_rules.rules_of(new_pages))
    if pages and (rules := _rules_taken_away(pages, new_pages)):
        former_addresses.remember_pages(site_id, rules)


def _rules_taken_away(pages: Pages, new_pages: Pages | None) -> dict[int, Parts]:
    """Return the rules, by channel, that gave contents pages at other paths; each path needs a row.

    Channels in the trash have none: their rules may change until they come back.
    """
    return {
        pk: parts
        for pk in pages.channel_ids
        if _needs_rows(pages.content_rule(pk)) and (parts := _filled(pages, pk)) != _filled(new_pages, pk)
    }


def _filled(pages: Pages | None, channel_id: int) -> Parts:
    if pages is None:
        return parse_rule(CONTENT_RULE)
    if channel_id not in pages.channel_ids:
        return ()
    parts = pages.content_parts(channel_id)
    return fill(parts, {"channelid": str(channel_id)}.get)
