"""The version of SiteServer that a source has, and which of its tables hold contents."""

from dataclasses import dataclass

from migration.sources.source import Source, SourceError

SITES, CHANNELS = "siteserver_site", "siteserver_channel"
_OF_CONTENTS = {"id", "channelid", "siteid", "taxis", "referenceid", "title"}
_OLD = ("siteserver_publishmentsystem", "bairong_")
# Rows that version 6.0 to 6.6 had put aside.
_ARCHIVE = "_archive"
LOG, USER_LOG = "siteserver_log", "siteserver_userlog"
# Tables that steps read, except those of contents and the user log.
_NAMES = """
    accesstoken administrator administratorsinroles channel config contentgroup contenttag permissionsinroles role site
    sitepermissions tablestyle tablestyleitem tag template user usergroup usersingroups
"""
_USED = frozenset(f"siteserver_{name}" for name in _NAMES.split())


@dataclass(frozen=True)
class Layout:
    version: str  # as the source says it, such as "6.15.51"
    content_tables: tuple[str, ...]  # those with most rows first


def read_layout(source: Source) -> Layout:
    """Raises SourceError for a database that is not of SiteServer 6 or 7."""
    tables = source.tables()
    if SITES not in tables:
        if any(name.startswith(_OLD) for name in tables):
            raise SourceError(
                "This is the database of SiteServer 5 or older. Export its sites as site templates there, and import "
                "them with manage.py import_site_template."
            )
        raise SourceError("This is not a database of SiteServer: it has no table siteserver_Site.")
    columns = source.columns(SITES)
    if "settingsxml" not in columns and "extendvalues" not in columns:
        raise SourceError("The table siteserver_Site has neither SettingsXml nor ExtendValues: the version is unknown.")
    named = [name for name in tables if not name.endswith(_ARCHIVE)]
    found = [name for name in named if _has_contents(source.columns(name))]
    counts = {name: source.count(name) for name in found}
    config = next(iter(source.rows("siteserver_config")), {})
    return Layout(
        version=str(config.get("databaseversion") or "unknown"),
        content_tables=tuple(sorted(found, key=lambda name: (-counts[name], name))),
    )


def user_log_of(source: Source) -> str:
    """Return the table of the user log, or ""; version 7 has one log of administrators and users."""
    return next((table for table in (USER_LOG, LOG) if {"username", "userid"} & set(source.columns(table))), "")


def unused_tables(source: Source, layout: Layout) -> dict[str, int]:
    """Return the tables with rows that no step reads, and the numbers of their rows."""
    used = _USED.union(layout.content_tables, {user_log_of(source)})
    counts = {name: source.count(name) for name in sorted(source.tables()) if name not in used}
    return {name: count for name, count in counts.items() if count}


def _has_contents(columns: list[str]) -> bool:
    return set(columns) >= _OF_CONTENTS and not {"ischecked", "checked"}.isdisjoint(columns)
