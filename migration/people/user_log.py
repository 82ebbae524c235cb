from collections.abc import Iterator
from datetime import datetime
from itertools import islice

from django.db import transaction

from accounts.models import User, UserLog
from core.lib.bulk import insert_records
from core.lib.folding import fold, is_blank
from migration import records
from migration.context import Context
from migration.layout import LOG, user_log_of
from migration.people.rows import clear_name
from migration.report import Outcome
from migration.sources.source import Row
from migration.values import NO_DATE, moment, number, text

_USERS = "siteserver_user"
_KIND = "entries of the user log"
_BATCH = 500


def migrate_user_log(context: Context) -> None:
    """Store the entries with a higher id than the last one that was migrated."""
    table = user_log_of(context.source)
    if not table:
        return
    authors = _Authors(context)
    rows = _new_rows(context, table)
    while batch := list(islice(rows, _BATCH)):
        with transaction.atomic():
            insert_records([_entry(row, authors, context) for row in batch])
            _keep_position(table, batch)
        context.report.add(_KIND, Outcome.NEW, len(batch))


def _new_rows(context: Context, table: str) -> Iterator[Row]:
    before = records.target_ids(_position_of(table)).get(0, 0)
    for row in context.rows(table, _KIND):
        if table == LOG and number(row.get("userid")) <= 0:  # of an administrator
            context.report.add(f"{table}, not used", Outcome.LEFT_OUT)
        elif number(row["id"]) > before:
            yield row


def _position_of(table: str) -> str:
    """Return the name of the record with the id of the last migrated row."""
    return f"{table}.position"


def _keep_position(table: str, rows: list[Row]) -> None:
    name = _position_of(table)
    last = max(records.target_ids(name).get(0, 0), *(number(row["id"]) for row in rows))
    records.store(name, [(0, last, "")])


class _Authors:
    """Users here by the names and ids of the source."""

    def __init__(self, context: Context) -> None:
        self._names = dict(User.objects.values_list("pk", "user_name"))
        targets = records.target_ids(_USERS)
        self._by_id = {source_id: pk for source_id, pk in targets.items() if pk in self._names}
        self._by_name: dict[str, int] = {}
        for row in context.source.rows(_USERS):
            if (source_id := number(row.get("id"))) in self._by_id:
                self._by_name.setdefault(fold(clear_name(row)), self._by_id[source_id])

    def find(self, row: Row) -> tuple[int | None, str]:
        """Return id and name; the id is None if the user is no longer there."""
        if "username" in row:
            name = text(row["username"])
            return None if is_blank(name) else self._by_name.get(fold(name.strip())), name[:255]
        user_id = self._by_id.get(number(row["userid"]))
        return user_id, self._names[user_id] if user_id else ""


def _date_of(row: Row, context: Context) -> datetime:
    found = moment(row.get("adddate"), context.options.time_zone)
    if found is None:
        told = f"An entry of the user log had no date; it got {NO_DATE:%Y-%m-%d}."
        context.report.find(told, f"siteserver_UserLog {number(row.get('id'))}")
    return found or NO_DATE


def _entry(row: Row, authors: _Authors, context: Context) -> UserLog:
    user_id, name = authors.find(row)
    return UserLog(
        user_id=user_id,
        user_name=name,
        ip_address=text(row.get("ipaddress"))[:45],
        add_date=_date_of(row, context),
        action=text(row.get("action"))[:255],
        summary=text(row.get("summary")),
    )
