"""Users, and their groups, which have no counterpart here."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from accounts.models import User
from accounts.services import change_users, create_users
from migration.context import Context
from migration.people.accounts import migrate_accounts
from migration.people.drafts import AccountKind
from migration.people.rows import cut, date_of_creation, either, read_settings, read_texts
from migration.people.user_log import migrate_user_log
from migration.sources.source import Row
from migration.values import flag, moment, number, text

TABLE = "siteserver_user"
_TEXTS = (
    *("display_name", "organization", "department", "position", "gender", "birthday", "education", "graduation"),
    *("address", "wei_xin", "qq", "wei_bo", "interests", "signature"),
)


def migrate_members(context: Context) -> None:
    """Store users and their log, and report their groups."""
    migrate_accounts(context, _KIND, {})
    _report_groups(context)
    migrate_user_log(context)


def _read(row: Row, context: Context, place: str) -> dict[str, Any]:
    time_zone = context.options.time_zone
    settings = read_settings(row, context, place)
    texts = read_texts(_TEXTS, row, settings)
    values = {
        **texts,
        "signature": texts["signature"] or text(row.get("bio")) or text(settings.get("bio")),
        "create_date": date_of_creation(row, context, place, "createdate", "createddate"),
        "last_activity_date": moment(row.get("lastactivitydate"), time_zone),
        "count_of_login": max(number(row.get("countoflogin")), 0),
        "count_of_writing": max(number(row.get("countofwriting")), 0),
        "is_checked": flag(either(row, "ischecked", "checked")),
        "is_locked_out": flag(either(row, "islockedout", "locked")),
        "avatar_url": _read_picture(row, context, place),
    }
    return cut(User, values, context, place)


def _read_picture(row: Row, context: Context, place: str) -> str:
    address = text(row.get("avatarurl")).strip()
    if not address or address.startswith(("https://", "http://")):
        return address
    context.report.find("The picture of a user is a file of the installation; it was not moved.", place, address[:100])
    return ""


def _change(changes: Sequence[tuple[User, dict[str, Any]]], context: Context) -> None:
    for user, values in changes:
        if user.avatar_file:  # uploaded here since
            values.pop("avatar_url")
    change_users(changes)


def _report_groups(context: Context) -> None:
    members: Counter[int] = Counter()
    for table in (TABLE, "siteserver_usersingroups"):
        members.update(number(row.get("groupid")) for row in context.source.rows(table))
    for row in context.source.rows("siteserver_usergroup"):
        told = "A group of users has no counterpart here."
        context.report.find(told, text(row.get("groupname")), f"{members[number(row.get('id'))]} users")


_KIND = AccountKind(
    table=TABLE,
    model=User,
    plural="users",
    password_date="lastresetpassworddate",  # noqa: S106 - the name of a column
    read=_read,
    create=create_users,
    change=_change,
)
