from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from functools import partial
from typing import Any, TypeVar

from django.conf import settings
from django.db import connection, transaction

from accounts import attempts, avatars, user_log
from accounts.models import Account, Administrator, SecondFactor, User, UserLog, present_creator, with_folded
from accounts.uniqueness import claimed, raise_if_taken
from accounts.validators import raise_if_weak
from core import audit, shared_counts
from core.lib import clock
from core.lib.bulk import update_columns
from core.lib.client_address import network_of
from core.lib.errors import InvalidInput, LimitReached, NotFound, NotPermitted
from core.rest.names import to_wire
from core.rest.preconditions import Precondition

AccountT = TypeVar("AccountT", bound=Account)
# Columns whose values are unique within a kind of account, in SiteServer's order of checks.
_UNIQUE: dict[type[Account], tuple[str, ...]] = {
    User: ("user_name", "email", "mobile"),
    Administrator: ("user_name", "mobile", "email"),
}
REGISTRATIONS = ("off", "pending", "approved")  # CMS_REGISTRATION
MAX_REGISTRATIONS, REGISTRATION_SECONDS = 20, 15 * 60  # per network
_TAKEN = {"user_name_taken", "email_taken", "mobile_taken"}
_RANKS_LOCK = 7345  # key of an advisory lock, different from all others of the service
UNLOCKED: Mapping[str, Any] = {"is_locked_out": False, "count_of_failed_login": 0}


def find(kind: type[AccountT], account_id: int, *, lock: bool = False) -> AccountT:
    """Return the account; `lock` holds it until the transaction ends. Raises NotFound."""
    accounts = kind._default_manager.filter(pk=account_id)
    account = (accounts.select_for_update() if lock else accounts).first()
    if account is None:
        name = kind._meta.model_name
        raise NotFound(f"{name}_not_found", f"{str(name).capitalize()} {account_id} was not found.")
    return account


def create_user(values: dict[str, Any]) -> User:
    """Create a user from a body's members. Without a password the user cannot sign in. Raises InvalidInput."""
    user = make_user(values, _unique(User, values))
    return _store_new(user, values)


def make_user(values: dict[str, Any], unique: Mapping[str, str] | None = None) -> User:
    """Make a user without storing it. Raises InvalidInput for a weak password or a taken value of `unique`."""
    user, password = _new(User, values)
    if password is not None:
        raise_if_weak(user, password, member="password")
    raise_if_taken(User, unique or {})  # before hashing, which takes about 20 ms
    if password is not None:
        user.set_password(password)
    else:
        user.set_unknown_password()
    user.create_date = user.last_reset_password_date = user.last_activity_date = clock.now()
    return user


def register(values: dict[str, Any], address: str) -> User:
    """Create a user without a key. Raises NotPermitted, LimitReached (20 per network in 15 minutes), InvalidInput.

    Taken names and addresses count too; otherwise anyone could test any number of them for an account.
    """
    standing = {"is_checked": settings.CMS_REGISTRATION == "approved", "is_locked_out": False}
    for column, value in standing.items():
        if values.get(column, value) != value:
            message = f"{to_wire(column)} cannot be set without the scope Users:write."
            raise NotPermitted("scope_missing", message, scope="Users:write")
    name = f"registrations from {network_of(address) if address else ''}"
    count = shared_counts.add([name], seconds=REGISTRATION_SECONDS)[name]
    if count.number > MAX_REGISTRATIONS:
        message = f"Too many registrations came from this address; try again in {count.seconds_left} seconds."
        raise LimitReached("too_many_registrations", message, wait=count.seconds_left)
    try:
        return create_user(values | standing)
    except InvalidInput as refusal:
        if refusal.code not in _TAKEN:
            shared_counts.take_back([name])
        raise


def update_user(user_id: int, values: dict[str, Any], precondition: Precondition | None = None) -> User:
    """Change the values; an `avatar_url` replaces the uploaded picture. Raises NotFound and InvalidInput."""
    with claimed(User, _unique(User, values), user_id):
        user = find(User, user_id, lock=True)
        if precondition is not None:
            precondition(user)
        _change(user, _without_picture(user, values))
    return user


def _without_picture(user: User, values: dict[str, Any]) -> dict[str, Any]:
    """If an `avatar_url` is set, clear the uploaded picture, whose file is deleted after the commit."""
    if "avatar_url" not in values:
        return values
    transaction.on_commit(partial(avatars.remove, user.avatar_file))
    return values | {"avatar_file": ""}


@transaction.atomic
def delete_user(user_id: int, precondition: Precondition | None = None) -> User:
    """Permanently delete the user and return the former record; log entries stay. Raises NotFound."""
    user = find(User, user_id, lock=True)
    if precondition is not None:
        precondition(user)
    transaction.on_commit(partial(avatars.remove, user.avatar_file))
    audit.record("user.deleted", user)
    was = copy(user)  # delete() clears the id
    user.delete()
    return was


@transaction.atomic
def note(user_id: int, address: str, action: str, summary: str) -> UserLog:
    user = find(User, user_id, lock=True)  # without the lock a concurrent delete would orphan the entry
    return user_log.write(user, user.user_name, action, summary, address)


def create_administrator(values: dict[str, Any]) -> Administrator:
    """Create an administrator of ordinary rank from a body's members. Raises InvalidInput."""
    administrator, password = _new(Administrator, {"creator_user_name": present_creator()} | values)
    raise_if_taken(Administrator, {"user_name": values["user_name"]})
    raise_if_weak(administrator, password, member="password")
    raise_if_taken(Administrator, _unique(Administrator, values))
    administrator.set_password(password)
    administrator.creation_date = administrator.last_change_password_date = clock.now()
    administrator.last_activity_date = administrator.creation_date
    return _store_new(administrator, values)


@transaction.atomic
def update_administrator(
    administrator_id: int, values: dict[str, Any], precondition: Precondition | None = None
) -> Administrator:
    """Raises NotFound and InvalidInput, also for locking or demoting the last of the highest rank."""
    leaves = values.get("is_locked_out") or values.get("is_superuser") is False
    if leaves:
        hold_ranks()
    with claimed(Administrator, _unique(Administrator, values), administrator_id):
        administrator = find(Administrator, administrator_id, lock=True)
        if leaves:
            _raise_if_last_superuser(administrator)
        if precondition is not None:
            precondition(administrator)
        _change(administrator, values)
    return administrator


@transaction.atomic
def delete_administrator(administrator_id: int, precondition: Precondition | None = None) -> Administrator:
    """Delete the administrator and their API keys; return the former record. Raises NotFound and InvalidInput."""
    hold_ranks()
    administrator = find(Administrator, administrator_id, lock=True)
    _raise_if_last_superuser(administrator)
    if precondition is not None:
        precondition(administrator)
    transaction.on_commit(partial(avatars.remove, administrator.avatar_file))
    audit.record("administrator.deleted", administrator)  # apikeys records the deletion of the keys
    was = copy(administrator)  # delete() clears the id
    administrator.delete()
    return was


def hold_ranks() -> None:
    """Serialize changes of ranks and locks until commit, to protect the last superuser; call before other locks."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s, 0)", [_RANKS_LOCK])


def _raise_if_last_superuser(administrator: Administrator) -> None:
    highest = [each.pk for each in Administrator.objects.get_queryset().of_highest_rank() if not each.is_shut_out]
    if highest == [administrator.pk]:
        message = f"Administrator {administrator.pk} is the last superuser who can sign in and must remain so."
        raise InvalidInput("last_administrator", message)


def _new(kind: type[AccountT], values: dict[str, Any]) -> tuple[AccountT, Any]:
    columns = {name: value for name, value in values.items() if name not in {"password", "password_format"}}
    return kind(**columns), values.get("password")


def _unique(kind: type[Account], values: dict[str, Any]) -> dict[str, str]:
    return {column: values[column] for column in _UNIQUE[kind] if column in values}


def _store_new(account: AccountT, values: dict[str, Any]) -> AccountT:
    unique = _unique(type(account), values)
    with claimed(type(account), unique):
        raise_if_taken(type(account), unique)
        account.save(force_insert=True)
        audit.record(f"{account._meta.model_name}.created", account)
    return account


def _change(account: Account, values: dict[str, Any]) -> None:
    """Store the values and record the changed ones. Raises InvalidInput for a new value that is taken."""
    kind = type(account)
    changed_unique = {name: text for name, text in _unique(kind, values).items() if text != getattr(account, name)}
    raise_if_taken(kind, changed_unique, account.pk)
    if unlocks(account, values):
        unlock(account)
    changed = alter(account, values)
    if values:
        # Only these columns: counters and dates may change concurrently.
        account.save(update_fields=values)
    if changed:
        audit.record(f"{account._meta.model_name}.changed", account, changed=changed)


def unlocks(account: Account, values: Mapping[str, Any]) -> bool:
    """Return true if the values unlock the account; a record sent back unchanged does not."""
    return values.get("is_locked_out") is False and (account.is_locked_out or account.is_shut_out)


def alter(account: Account, values: Mapping[str, Any]) -> set[str]:
    """Set the values and return the members that differ; nothing is stored."""
    changed = {column for column, value in values.items() if getattr(account, column) != value}
    for column, value in values.items():
        setattr(account, column, value)
    # A picture has two columns but one member.
    return {to_wire(column.replace("avatar_file", "avatar_url")) for column in changed}


@transaction.atomic
def unlock(account: Account) -> None:
    """Clear the lock and the failed sign-ins, as SiteServer does."""
    changed = alter(account, UNLOCKED)
    account.save(update_fields=UNLOCKED)
    forget_failures(type(account), [account])
    audit.record(f"{account._meta.model_name}.unlocked", account, changed=changed)


def forget_failures(kind: type[Account], accounts: Iterable[Account]) -> None:
    """Reset all counts of failed sign-ins of the accounts, from every network."""
    ids = [account.pk for account in accounts]
    kind._default_manager.filter(pk__in=ids).update(unlocked_at=clock.now())
    if kind is Administrator:
        SecondFactor.objects.filter(pk__in=ids).update(wrong_codes=0)
    attempts.forget_refusals()


# ---- Some hundreds of users together, in memory. The caller has claimed unique values (`uniqueness.claim_all`) and
# locked the users that change.


@transaction.atomic(savepoint=False)
def create_users(users: Sequence[User]) -> None:
    for user in users:
        user.end_tokens()
    User.objects.bulk_create(users)
    audit.record_each("user.created", users)


@transaction.atomic(savepoint=False)
def change_users(changes: Sequence[tuple[User, dict[str, Any]]]) -> None:
    """Change each user; a user may occur only once."""
    unlocked = [user for user, sent in changes if unlocks(user, sent)]
    of_unlocked = {user.pk: alter(user, UNLOCKED) for user in unlocked}
    update_columns(unlocked, UNLOCKED)
    # Before the change, which may alter the texts they sign in by.
    forget_failures(User, unlocked)
    audit.record_each("user.unlocked", unlocked, changed=of_unlocked)
    changed: dict[int, set[str]] = {}
    columns: set[str] = set()
    for user, sent in changes:
        values = _without_picture(user, sent)
        changed[user.pk] = alter(user, values)
        columns |= values.keys() | ({"token_stamp"} if user.end_tokens() else set())
    users = [user for user, _sent in changes]
    update_columns(users, with_folded(columns))
    audit.record_each("user.changed", [user for user in users if changed[user.pk]], changed=changed)
