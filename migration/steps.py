"""The order in which records are migrated, each step after the ones it refers to."""

from collections.abc import Callable
from typing import NamedTuple

from migration.channels import migrate_channels
from migration.content_rows import ContentReader
from migration.contents import ContentsMigration
from migration.context import Context
from migration.field_definitions import FieldDefinitions
from migration.forms import migrate_forms
from migration.keys import migrate_keys
from migration.layout import Layout, unused_tables
from migration.models import MigrationRun
from migration.people.administrators import migrate_administrators
from migration.people.members import migrate_members
from migration.people.roles import migrate_roles
from migration.report import Outcome
from migration.site_folders import migrate_files, site_folders
from migration.sites import migrate_sites
from migration.templates import migrate_templates
from migration.values import number, text


class Brought(NamedTuple):
    site_ids: frozenset[int]
    reader: ContentReader


def migrate(context: Context, layout: Layout, run: MigrationRun) -> Brought:
    """Bring everything that the source has and this service does not. Raises SourceError.

    Each step commits by itself. A resumed run skips costly steps that it has done, since small ones prepare later
    steps.
    """
    site_ids = migrate_sites(context)
    folders = site_folders(context, site_ids)
    templates = migrate_templates(context, folders)
    channels = migrate_channels(context, site_ids, templates)
    _once(context, run, "administrators", lambda: migrate_administrators(context))
    _once(context, run, "roles", lambda: migrate_roles(context))
    definitions = FieldDefinitions(context)
    definitions.store(layout, channels)
    of_forms = migrate_forms(context, site_ids, channels)
    reader = ContentReader(
        context,
        channels,
        _names(context, "siteserver_administrator"),
        _names(context, "siteserver_user"),
        definitions.spellings,
    )
    _once(context, run, "contents", lambda: ContentsMigration(context, layout, reader, site_ids).migrate())
    _once(context, run, "members", lambda: migrate_members(context))
    _once(context, run, "keys", lambda: migrate_keys(context))
    _once(context, run, "files", lambda: migrate_files(context, folders))
    for table, count in unused_tables(context.source, layout).items():
        if table not in of_forms:
            context.report.add(f"{table}, not used", Outcome.LEFT_OUT, count)
    return Brought(site_ids, reader)


def _once(context: Context, run: MigrationRun, step: str, work: Callable[[], object]) -> None:
    if step in run.steps_done:
        return
    work()
    context.report.sync()
    run.steps_done.append(step)
    run.save(update_fields=["steps_done"])


def _names(context: Context, table: str) -> dict[int, str]:
    return {number(row.get("id")): text(row.get("username")) for row in context.source.rows(table)}
