"""Moves administrators or users: creates accounts, and changes those whose rows have changed."""

from collections.abc import Sequence
from itertools import islice

from django.db import connection, transaction

from accounts.models import Account
from accounts.uniqueness import claim_all
from core.archive import database
from core.archive.tables import table_of
from migration import records
from migration.context import Context
from migration.people.drafts import AccountKind, Draft, read_drafts
from migration.people.passwords import Passwords
from migration.people.unique import Claims
from migration.report import Outcome
from migration.values import NO_DATE, number

_BATCH = 500


def migrate_accounts(context: Context, kind: AccountKind, ours: dict[str, int]) -> None:
    """Store the accounts, 500 in a transaction; rows whose folded name is in `ours` become that account unchanged.

    Accounts keep their ids where these are free.
    """
    _reserve_ids(kind, context.source.highest_id(kind.table))
    seen: set[int] = set()
    with Passwords(kind, context) as passwords:
        rows = context.rows(kind.table, kind.plural)
        while batch := list(islice(rows, _BATCH)):
            seen.update(number(row.get("id")) for row in batch)
            drafts = read_drafts(batch, kind, ours, context)
            passwords.hash(drafts)
            _Batch(context, kind, passwords, drafts).store()
    for source_id in sorted(records.target_ids(kind.table).keys() - seen):
        context.report.find("An account is no longer in the source; it stays here.", f"{kind.table} {source_id}")


def _reserve_ids(kind: AccountKind, highest: int) -> None:
    """Let new accounts get ids above the source's."""
    table = table_of(kind.model)
    database.go_on_after(connection, table, max(highest, database.last_number(connection, table)))


class _Batch:
    def __init__(self, context: Context, kind: AccountKind, passwords: Passwords, drafts: list[Draft]) -> None:
        self._context, self._kind, self._passwords, self._drafts = context, kind, passwords, drafts

    @transaction.atomic
    def store(self) -> None:
        claim_all(self._kind.model)
        self._claims = Claims(self._kind.model, [draft.row for draft in self._drafts], self._context)
        self._change([draft for draft in self._drafts if draft.known])
        self._create([draft for draft in self._drafts if not draft.known])

    def _create(self, drafts: list[Draft]) -> None:
        numbers = [draft.source_id for draft in drafts]
        taken = set(self._kind.model._default_manager.filter(pk__in=numbers).values_list("pk", flat=True))
        made = [(draft, self._make(draft, is_id_free=draft.source_id not in taken)) for draft in drafts]
        self._kind.create([account for _draft, account in made])
        for draft, account in made:
            if account.pk != draft.source_id:
                told = "The id of an account is taken here; the account got another one."
                self._context.report.find(told, draft.place, f"{account}: {account.pk}")
        self._note(made)
        self._passwords.note(made)
        self._context.report.add(self._kind.plural, Outcome.NEW, len(made))

    def _make(self, draft: Draft, *, is_id_free: bool) -> Account:
        members = self._kind.read(draft.row, self._context, draft.place)
        account = self._kind.model(**members, **self._claims.take(draft.row, None, draft.place))
        account.pk = draft.source_id if is_id_free and draft.source_id > 0 else None
        created = getattr(account, account.CREATION_DATE)
        if created != NO_DATE:
            account.last_activity_date = account.last_activity_date or created
        self._passwords.give(draft, account, created)
        return account

    def _change(self, drafts: list[Draft]) -> None:
        pairs = self._existing(drafts)
        with_password = {draft.source_id for draft in self._passwords.change(pairs)}
        changed = [(draft, account) for draft, account in pairs if draft.has_other_members]
        self._kind.change([(account, self._values(draft, account)) for draft, account in changed], self._context)
        self._note(changed)
        for draft, _account in pairs:
            is_changed = draft.has_other_members or draft.source_id in with_password
            self._context.report.add(self._kind.plural, Outcome.UPDATED if is_changed else Outcome.UNCHANGED)

    def _existing(self, drafts: list[Draft]) -> list[tuple[Draft, Account]]:
        """Return the drafts with their accounts, locked."""
        targets = {draft.source_id: draft.known.target_id for draft in drafts if draft.known}
        rows = self._kind.model._default_manager.select_for_update().filter(pk__in=targets.values())
        accounts = {account.pk: account for account in rows}
        for draft in drafts:
            if targets[draft.source_id] not in accounts:
                told = "An account has been deleted here; it is not created again."
                self._context.report.find(told, draft.place, draft.name)
                self._context.report.add(self._kind.plural, Outcome.LEFT_OUT)
        return [(draft, accounts[pk]) for draft in drafts if (pk := targets[draft.source_id]) in accounts]

    def _values(self, draft: Draft, account: Account) -> dict[str, object]:
        values = self._kind.read(draft.row, self._context, draft.place)
        values |= self._claims.take(draft.row, account.pk, draft.place)
        # People may have signed in on both sides.
        last = (account.last_activity_date, values["last_activity_date"])
        return values | {
            "last_activity_date": max(filter(None, last), default=None),
            "count_of_login": max(account.count_of_login, values["count_of_login"]),
        }

    def _note(self, pairs: Sequence[tuple[Draft, Account]]) -> None:
        digests = ((draft.source_id, account.pk, draft.digest) for draft, account in pairs)
        self._context.store(self._kind.table, digests)
