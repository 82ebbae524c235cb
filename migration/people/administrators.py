from collections.abc import Sequence
from typing import Any

from django.db import transaction

from accounts.models import Administrator
from accounts.services import update_administrator
from core import audit
from core.lib.errors import InvalidInput
from core.lib.folding import fold
from migration import records
from migration.context import Context
from migration.models import MigratedRecord
from migration.people.accounts import migrate_accounts
from migration.people.drafts import OURS, AccountKind
from migration.people.rows import cut, date_of_creation, either, read_texts
from migration.sources.source import Row
from migration.values import flag, moment, number

TABLE = "siteserver_administrator"


def migrate_administrators(context: Context) -> None:
    """Store administrators of ordinary rank; `roles.migrate_roles` gives them their ranks."""
    migrated = MigratedRecord.objects.filter(source_table=TABLE).exclude(digest=OURS).values("target_id")
    others = Administrator.objects.exclude(pk__in=migrated).order_by("-pk").values_list("user_name", "pk")
    migrate_accounts(context, _KIND, {fold(name): pk for name, pk in others})


def _read(row: Row, context: Context, place: str) -> dict[str, Any]:
    time_zone = context.options.time_zone
    site_id = number(row.get("siteid"))
    values = {
        **read_texts(("display_name", "creator_user_name"), row, {}),
        "creation_date": date_of_creation(row, context, place, "creationdate", "createddate"),
        "last_activity_date": moment(row.get("lastactivitydate"), time_zone),
        "count_of_login": max(number(row.get("countoflogin")), 0),
        "is_locked_out": flag(either(row, "islockedout", "locked")),
        "site_id": records.target_ids("siteserver_site").get(site_id, site_id),
        "department_id": number(row.get("departmentid")),
        "area_id": number(row.get("areaid")),
    }
    return cut(Administrator, values, context, place)


@transaction.atomic
def _create(administrators: Sequence[Administrator]) -> None:
    for administrator in administrators:
        administrator.save(force_insert=True)
        audit.record("administrator.created", administrator)


def _change(changes: Sequence[tuple[Administrator, dict[str, Any]]], context: Context) -> None:
    for administrator, values in changes:
        try:
            update_administrator(administrator.pk, values)
        except InvalidInput:
            update_administrator(administrator.pk, values | {"is_locked_out": False})
            told = "The last superuser who can sign in is locked in the source, but not here."
            context.report.find(told, f"{TABLE} of {administrator}")


_KIND = AccountKind(
    table=TABLE,
    model=Administrator,
    plural="administrators",
    password_date="lastchangepassworddate",  # noqa: S106 - the name of a column
    read=_read,
    create=_create,
    change=_change,
)
