"""Stores many users at once, by the rules of `services.create_user` and `update_user`.

In few statements, however many users there are; they are held in memory: some hundreds.

The caller has claimed what belongs to one user only (`uniqueness.claim_all`), has looked whether it is free, and has
locked the users that change.
"""

from collections.abc import Sequence
from typing import Any

from django.db import transaction

from accounts.models import User
from accounts.services import UNLOCKED, alter, forget_failures, unlocks, without_picture
from cms_api import audit
from cms_api.lib.bulk_update import update_columns


@transaction.atomic(savepoint=False)
def create_users(users: Sequence[User]) -> None:
    """Store users that `services.make_user` has made."""
    for user in users:
        user.end_tokens()
    User.objects.bulk_create(users)
    audit.note_each("user.created", users)


@transaction.atomic(savepoint=False)
def change_users(changes: Sequence[tuple[User, dict[str, Any]]]) -> None:
    """Give each user the values; each stands there once."""
    _unlock([user for user, sent in changes if unlocks(user, sent)])
    changed: dict[int, set[str]] = {}
    columns: set[str] = set()
    for user, sent in changes:
        values = without_picture(user, sent)
        changed[user.pk] = alter(user, values)
        columns |= values.keys() | ({"token_stamp"} if user.end_tokens() else set())
    users = [user for user, _sent in changes]
    update_columns(users, columns)
    audit.note_each("user.changed", [user for user in users if changed[user.pk]], changed=changed)


def _unlock(users: Sequence[User]) -> None:
    """What `services.unlock` does to one."""
    changed = {user.pk: alter(user, UNLOCKED) for user in users}
    update_columns(users, UNLOCKED)
    # By what they sign in with until now, of which something may be about to change.
    forget_failures(User, users)
    audit.note_each("user.unlocked", users, changed=changed)
