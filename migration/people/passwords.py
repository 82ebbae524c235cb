"""Passwords of migrated accounts: recovered, hashed immediately, and never stored in any other form."""

import os
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import Self

from accounts.hashers import encode_md5, md5_form
from accounts.models import Account
from accounts.peppers import usable
from core import audit
from core.lib import clock
from core.lib.bulk import update_columns
from migration.context import Context
from migration.passwords import format_of, recover_password
from migration.people.drafts import AccountKind, Draft
from migration.values import moment


class Passwords:
    """Hashes passwords in threads, in a with statement."""

    def __init__(self, kind: AccountKind, context: Context) -> None:
        self._kind, self._context = kind, context
        self._formats: Counter[tuple[str, bool]] = Counter()

    def __enter__(self) -> Self:
        usable()  # before threads need it
        # argon2 works without the interpreter's lock: with two processors, two threads need half of the time of one.
        self._pool = ThreadPoolExecutor(os.cpu_count())
        return self

    def __exit__(self, *error: object) -> None:
        self._pool.shutdown(cancel_futures=True)
        told = [
            f"{name}: {self._formats[name, True]} recovered, {self._formats[name, False]} lost"
            for name in sorted({name for name, _is_recovered in self._formats})
        ]
        if told:
            self._context.report.facts[f"passwords of {self._kind.plural}"] = "; ".join(told)

    def hash(self, drafts: Sequence[Draft]) -> None:
        """Give drafts their hashed passwords; a dry run only counts them."""
        if not self._context.options.with_passwords:
            return
        changed = [draft for draft in drafts if draft.has_other_password]
        plains = [recover_password(draft.row) for draft in changed]
        for draft, plain in zip(changed, plains, strict=True):
            self._formats[format_of(draft.row), plain is not None] += 1
            if plain is None:
                told = "The password of an account cannot be recovered; it must be reset."
                self._context.report.find(told, draft.place, draft.name)
        if not self._context.options.is_dry_run:
            for draft, encoded in zip(changed, self._pool.map(_encode, plains), strict=True):
                draft.encoded = encoded

    def give(self, draft: Draft, account: Account, otherwise: datetime) -> None:
        """Set the draft's password, or an unknown one; `otherwise` is its date if the row has none."""
        account.set_unknown_password()
        account.password = draft.encoded or account.password
        changed_at = moment(draft.row.get(self._kind.password_date), self._context.options.time_zone)
        # Later dates count as changes made here.
        setattr(account, account.PASSWORD_DATE, min(changed_at or otherwise, clock.now()))

    def change(self, pairs: Sequence[tuple[Draft, Account]]) -> list[Draft]:
        """Store passwords that changed in the source, unless they changed here too; return the drafts of the stored."""
        if not self._context.options.with_passwords:
            return []
        stored = []
        for draft, account in pairs:
            if draft.has_other_password and not self._has_changed_here(draft, account):
                self.give(draft, account, clock.now())
                stored.append((draft, account))
        accounts = [account for _draft, account in stored]
        update_columns(accounts, {"password", "password_stamp", self._kind.model.PASSWORD_DATE})
        audit.record_each(f"{self._kind.model._meta.model_name}.password_changed", accounts)
        self.note(stored)
        return [draft for draft, _account in stored]

    def note(self, pairs: Sequence[tuple[Draft, Account]]) -> None:
        if self._context.options.with_passwords:
            digests = ((draft.source_id, account.pk, draft.password_digest) for draft, account in pairs)
            self._context.store(self._kind.password_table, digests)

    def _has_changed_here(self, draft: Draft, account: Account) -> bool:
        before = draft.known_password or draft.known
        if before is None or getattr(account, account.PASSWORD_DATE) <= before.migrated_at:
            return False
        told = "The password of an account changed in the source and here; the one here stays."
        self._context.report.find(told, draft.place, draft.name)
        return True


def _encode(plain: str | None) -> str | None:
    return None if plain is None else encode_md5(md5_form(plain))
