"""What is done to accounts; each function is one act that happens wholly or not at all."""

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from functools import partial
from typing import Any, TypeVar

from django.db import connection, transaction

from accounts import attempts, avatars, user_log
from accounts.models import Account, Administrator, User, UserLog, present_creator
from accounts.uniqueness import claimed, refuse_taken
from accounts.validators import refuse_weak
from cms_api import audit
from cms_api.lib import clock
from cms_api.lib.bulk_update import update_columns
from cms_api.lib.errors import InvalidInput, NotFound
from cms_api.rest.names import to_wire
from cms_api.rest.preconditions import Precondition

AccountT = TypeVar("AccountT", bound=Account)
# Columns of which a value belongs to one account of a kind, in the order of the original's refusals (A.20, §8.2).
_OF_USERS = ("user_name", "email", "mobile")
_OF_ADMINISTRATORS = ("user_name", "mobile", "email")
_RANKS_LOCK = 7345  # an advisory lock's name, apart from those of other parts of the service
# What lets an account sign in again.
UNLOCKED: Mapping[str, Any] = {"is_locked_out": False, "count_of_failed_login": 0}


def find(kind: type[AccountT], account_id: int, *, lock: bool = False) -> AccountT:
    """The account of that id, locked until the transaction ends if asked. Raises NotFound."""
    accounts = kind._default_manager.filter(pk=account_id)
    account = (accounts.select_for_update() if lock else accounts).first()
    if account is None:
        name = kind._meta.model_name
        raise NotFound(f"{name}_not_found", f"{str(name).capitalize()} {account_id} was not found.")
    return account


# ---- Users


def create_user(values: dict[str, Any]) -> User:
    """A new user out of a body's members; `password` is a plain one, and without it nobody signs in until it is set.

    Raises InvalidInput for a weak password and for a name, e-mail address or mobile that is taken.
    """
    user, password = _new(User, values)
    if password is not None:
        refuse_weak(user, password, member="password")
    unique = _chosen(values, _OF_USERS)
    refuse_taken(User, unique)  # before the hash, which costs some 20 ms
    return _store_new(_begun(user, password), unique)


def make_user(values: dict[str, Any]) -> User:
    """A new user as of `create_user` that is not stored yet. Raises InvalidInput for a weak password."""
    user, password = _new(User, values)
    if password is not None:
        refuse_weak(user, password, member="password")
    return _begun(user, password)


def _begun(user: User, password: str | None) -> User:
    if password is not None:
        user.set_password(password)
    else:
        user.set_unknown_password()
    user.create_date = user.last_reset_password_date = user.last_activity_date = clock.now()
    return user


def update_user(user_id: int, values: dict[str, Any], precondition: Precondition | None = None) -> User:
    """The user with the values changed; an `avatar_url` replaces the uploaded picture.

    Raises NotFound, InvalidInput for a name, e-mail address or mobile that is taken, and what the precondition raises.
    """
    unique = _chosen(values, _OF_USERS)
    with claimed(User, unique, user_id):
        user = find(User, user_id, lock=True)
        if precondition is not None:
            precondition(user)
        _refuse_others(user, unique)
        _change(user, without_picture(user, values))
    return user


def without_picture(user: User, values: dict[str, Any]) -> dict[str, Any]:
    """The values, with what an `avatar_url` among them does to the uploaded picture, which goes at the commit."""
    if "avatar_url" not in values:
        return values
    _remove_picture(user)
    return values | {"avatar_file": ""}


@transaction.atomic
def delete_user(user_id: int, precondition: Precondition | None = None) -> User:
    """Delete the user for good, and return what was; entries of the log stay.

    Raises NotFound, and what the precondition raises.
    """
    user = find(User, user_id, lock=True)
    if precondition is not None:
        precondition(user)
    _remove_picture(user)
    audit.note("user.deleted", user)
    was = copy(user)  # delete() takes the id away
    user.delete()
    return was


@transaction.atomic
def note(user_id: int, address: str, action: str, summary: str) -> UserLog:
    """A new entry of the user's log. Raises NotFound."""
    user = find(User, user_id, lock=True)  # of a delete at the same moment the entry would be an orphan
    return user_log.write(user, user.user_name, action, summary, address)


def _remove_picture(user: User) -> None:
    transaction.on_commit(partial(avatars.remove, user.avatar_file))


# ---- Administrators


def create_administrator(values: dict[str, Any]) -> Administrator:
    """A new administrator of ordinary rank out of a body's members; `password` is a plain one.

    Raises InvalidInput for a weak password and for a name, mobile or e-mail address that is taken.
    """
    administrator, password = _new(Administrator, {"creator_user_name": present_creator()} | values)
    unique = _chosen(values, _OF_ADMINISTRATORS)
    refuse_taken(Administrator, _chosen(values, ("user_name",)))
    refuse_weak(administrator, password, member="password")
    refuse_taken(Administrator, unique)
    administrator.set_password(password)
    administrator.creation_date = administrator.last_change_password_date = clock.now()
    administrator.last_activity_date = administrator.creation_date
    return _store_new(administrator, unique)


@transaction.atomic
def update_administrator(
    administrator_id: int, values: dict[str, Any], precondition: Precondition | None = None
) -> Administrator:
    """The administrator with the values changed.

    Raises NotFound, InvalidInput for a name, mobile or e-mail address that is taken and for a lock or a demotion of the
    last administrator of the highest rank, and whatever the precondition raises.
    """
    unique = _chosen(values, _OF_ADMINISTRATORS)
    leaves = values.get("is_locked_out") or values.get("is_superuser") is False
    if leaves:
        hold_ranks()
    with claimed(Administrator, unique, administrator_id):
        administrator = find(Administrator, administrator_id, lock=True)
        if leaves:
            _refuse_last(administrator)
        if precondition is not None:
            precondition(administrator)
        _refuse_others(administrator, unique)
        _change(administrator, values)
    return administrator


@transaction.atomic
def delete_administrator(administrator_id: int, precondition: Precondition | None = None) -> Administrator:
    """Delete the administrator with all API keys of theirs, and return what was.

    Raises NotFound, InvalidInput for the last administrator of the highest rank, and whatever the precondition raises.
    """
    hold_ranks()
    administrator = find(Administrator, administrator_id, lock=True)
    _refuse_last(administrator)
    if precondition is not None:
        precondition(administrator)
    audit.note("administrator.deleted", administrator)  # keys that go with it are noted by their app
    was = copy(administrator)  # delete() takes the id away
    administrator.delete()
    return was


def hold_ranks() -> None:
    """Let nobody else lock, unlock, demote or delete administrators until the transaction ends.

    To be called before anything else is held: of two requests about the last two of the highest rank one comes after
    the other, and no two that are about many wait for each other in a circle. SQLite has one writer at a time anyway.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s, 0)", [_RANKS_LOCK])


def _refuse_last(administrator: Administrator) -> None:
    highest = [each.pk for each in Administrator.objects.get_queryset().of_highest_rank() if not each.is_shut_out]
    if highest == [administrator.pk]:
        message = f"Administrator {administrator.pk} is the last of the highest rank who may sign in, and must stay so."
        raise InvalidInput("last_administrator", message)


# ---- Both


def _new(kind: type[AccountT], values: dict[str, Any]) -> tuple[AccountT, Any]:
    columns = {name: value for name, value in values.items() if name not in {"password", "password_format"}}
    return kind(**columns), values.get("password")


def _chosen(values: dict[str, Any], columns: tuple[str, ...]) -> dict[str, str]:
    return {column: values[column] for column in columns if column in values}


def _refuse_others(account: Account, unique: dict[str, str]) -> None:
    """Raises InvalidInput for a value that is taken; what stays as it is may stay so."""
    changed = {column: text for column, text in unique.items() if text != getattr(account, column)}
    refuse_taken(type(account), changed, account.pk)


def _store_new(account: AccountT, unique: dict[str, str]) -> AccountT:
    with claimed(type(account), unique):
        refuse_taken(type(account), unique)
        account.save(force_insert=True)
        audit.note(f"{account._meta.model_name}.created", account)
    return account


def _change(account: Account, values: dict[str, Any]) -> None:
    """Store the values, and note which of them are others than before, if any."""
    if unlocks(account, values):
        unlock(account)
    changed = alter(account, values)
    _save(account, values)
    if changed:
        audit.note(f"{account._meta.model_name}.changed", account, changed=changed)


def unlocks(account: Account, values: Mapping[str, Any]) -> bool:
    """Whether the values unlock the account: a record that is sent back as it was unlocks nobody."""
    return values.get("is_locked_out") is False and (account.is_locked_out or account.is_shut_out)


def alter(account: Account, values: Mapping[str, Any]) -> set[str]:
    """Give the record the values, and tell the members that are others than before; nothing is stored."""
    changed = {column for column, value in values.items() if getattr(account, column) != value}
    for column, value in values.items():
        setattr(account, column, value)
    # A picture has two columns and is one member.
    return {to_wire(column.replace("avatar_file", "avatar_url")) for column in changed}


@transaction.atomic
def unlock(account: Account) -> None:
    """Let the account sign in again: nobody has locked it and no failure counts (original-behaviour §8.5)."""
    changed = alter(account, UNLOCKED)
    _save(account, UNLOCKED)
    forget_failures(type(account), [account])
    audit.note(f"{account._meta.model_name}.unlocked", account, changed=changed)


def forget_failures(kind: type[Account], accounts: Iterable[Account]) -> None:
    """Count no failed sign-in of the accounts any more, whatever they sign in by and from wherever."""
    chosen = kind._default_manager.filter(pk__in=[account.pk for account in accounts])
    chosen.update(unlocked_at=clock.now())
    attempts.forget_refusals()


def _save(account: Account, values: Mapping[str, Any]) -> None:
    if values:
        # Nothing else: counters and dates may change at the same moment.
        account.save(update_fields=values)


# ---- Many users at once, held in memory: some hundreds. The caller has claimed unique values (`uniqueness.claim_all`)
# and locked the users that change.


@transaction.atomic(savepoint=False)
def create_users(users: Sequence[User]) -> None:
    """Store users that `make_user` has made."""
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
    changed = {user.pk: alter(user, UNLOCKED) for user in users}
    update_columns(users, UNLOCKED)
    # By what they sign in with until now, of which something may be about to change.
    forget_failures(User, users)
    audit.note_each("user.unlocked", users, changed=changed)
