"""SQL of the triggers that depends on the columns of the models: the API names of the columns that changed."""

from collections.abc import Callable, Collection, Mapping

from django.apps import apps

from core.rest.names import to_wire

TABLES = (
    "contents_content",
    "contents_contentbody",
    "channels_app_channel",
    "cms_sites_site",
    "accounts_user",
    "media_library_mediafile",
    "forms_form",
    "forms_entry",
)
# The row after a change, in each engine's file → the row before it, and the operator.
_BEFORE = {"n": ("o", "IS DISTINCT FROM"), "NEW": ("OLD", "IS NOT")}
# Counters and columns that no client reads.
_OF_CONTENTS = {"id", "version", "trashed_at", "trashed_with_id", "added_by_key"}
_OF_CONTENTS |= {"hits", "hits_by_day", "hits_by_week", "hits_by_month", "last_hits_date"}
# Derived from the place in the tree; `taxis` also changes with the order of other channels.
_OF_CHANNELS = {"id", "site_id", "version", "parents_path", "parents_count", "children_count", "is_last_node", "taxis"}
_OF_CHANNELS |= {"trashed_at", "trashed_with_id", "trashed_before_id"}
_OF_SITES = {"id", "web_url", "trashed_at", "purge_began_at"}
_OF_USERS = {"id", "password", "password_stamp", "token_stamp", "last_activity_date", "unlocked_at"}
_OF_USERS |= {"count_of_login", "count_of_failed_login", "count_of_writing", "folding_stamp"}
_OF_USERS |= {"folded_user_name", "folded_display_name", "folded_email", "folded_mobile"}
_OF_MEDIA = {"id", "site_id", "version", "trashed_at", "missing_since", "uploaded_with_key"}
_NAMES_OF_MEDIA = {"bytes": "size", "focal_x": "focalPoint", "focal_y": "focalPoint"}
_NAMES_OF_MEDIA |= {"created_at": "createdDate", "changed_at": "lastModifiedDate"}


def _conditions(row: str, label: str, left_out: Collection[str], renamed: Mapping[str, str]) -> dict[str, str]:
    """Return each member with the condition that it has changed."""
    before, differs = _BEFORE[row]
    found: dict[str, str] = {}
    for field in apps.get_model(label)._meta.concrete_fields:
        if field.attname in left_out:
            continue
        member, column = renamed.get(field.attname) or to_wire(field.attname), field.column
        condition = f"{before}.{column} {differs} {row}.{column}"
        found[member] = f"{found[member]} OR {condition}" if member in found else condition
    return found


def _joined(conditions: Mapping[str, str]) -> str:
    """Return an expression for the sorted names: `,"author","title"`, or an empty text."""
    return " || ".join(
        f"CASE WHEN {condition} THEN ',\"{member}\"' ELSE '' END" for member, condition in sorted(conditions.items())
    )


def _content_fields(row: str) -> str:
    conditions = _conditions(row, "contents.Content", _OF_CONTENTS, {})
    # The event of the body, which was stored before, becomes part of this one.
    conditions["content"] = (
        "b.subject_id IS NOT NULL"
        if row == "n"
        else f"NEW.version > OLD.version AND EXISTS (SELECT 1 FROM events_event WHERE {_event_of_body(row)})"
    )
    return _joined(conditions)


def _event_of_body(row: str) -> str:
    """Return the condition of the event that the trigger of the body has written in the same transaction.

    On SQLite also in one before it, since no reader has seen an event that is not numbered.
    """
    before, _ = _BEFORE[row]
    # Without `likely`, SQLite reads all events that are not numbered, as in events/sql/sqlite.sql.
    is_new = "likely(events_event.position IS NULL)" if row == "NEW" else "events_event.position IS NULL"
    return (
        f"{is_new} AND events_event.subject_id = {row}.id "
        f"AND events_event.version = {before}.version "
        "AND events_event.name = 'content.changed' AND events_event.fields = '[\"content\"]'"
    )


def _channel_fields(row: str) -> str:
    conditions = _conditions(row, "channels_app.Channel", _OF_CHANNELS, {})
    return _joined(conditions | {"taxis": _is_reordered(row)})


def _is_reordered(row: str) -> str:
    """Return the condition that the channel itself was moved, and not only renumbered along with others."""
    before, _ = _BEFORE[row]
    return f"{before}.taxis <> {row}.taxis AND {before}.version <> {row}.version"


def _site_fields(row: str) -> str:
    return _joined(_conditions(row, "cms_sites.Site", _OF_SITES, {"settings": "attributes"}))


def _user_fields(row: str) -> str:
    return _joined(_conditions(row, "accounts.User", _OF_USERS, {"avatar_file": "avatarUrl"}))


def _media_fields(row: str) -> str:
    return _joined(_conditions(row, "media_library.MediaFile", _OF_MEDIA, _NAMES_OF_MEDIA))


EXPRESSIONS: dict[str, Callable[[str], str]] = {
    "content_fields": _content_fields,
    "event_of_body": _event_of_body,
    "channel_fields": _channel_fields,
    "is_reordered": _is_reordered,
    "site_fields": _site_fields,
    "user_fields": _user_fields,
    "media_fields": _media_fields,
}
