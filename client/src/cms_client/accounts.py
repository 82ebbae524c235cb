"""Users and administrators, including sign-in and sign-out."""

from collections.abc import Mapping
from typing import Any, TypedDict, TypeVar, Unpack

from cms_client import operations
from cms_client.answers import login_of, page_of, record_of, text_value_of, value_of
from cms_client.binding import D, Resource, operation, walk
from cms_client.exchange import Known
from cms_client.forms import Form
from cms_client.operations import Operation
from cms_client.records import Administrator, LogEntry, Login, Page, User
from cms_client.walking import Plan, Progress, Walk, windows_plan
from cms_client.wire import Members, check_names, digest_of

T = TypeVar("T")


class AccountFilters(TypedDict, total=False):
    """Filters that users and administrators share."""

    userName: str
    displayName: str
    email: str
    mobile: str
    keyword: str
    isLockedOut: bool
    lastActivityDateFrom: str
    lastActivityDateTo: str


class UserFilters(AccountFilters, total=False):
    """Filters for users. All given filters must match. Dates are strings such as 2026-11-20 09:30.

    userName, email, mobile: accounts with exactly this value, in any letter case
    displayName: accounts whose display name contains this text
    keyword: accounts whose user name, display name, e-mail address or mobile number contains this text
    isLockedOut: True for locked accounts only, False for unlocked accounts only
    lastActivityDateFrom, lastActivityDateTo: accounts whose last sign-in attempt, successful or not, is in this period
    isChecked: True for approved users only, False for unapproved users only
    createDateFrom, createDateTo: users created in this period
    """

    isChecked: bool
    createDateFrom: str
    createDateTo: str


class AdministratorFilters(AccountFilters, total=False):
    """Filters for administrators. All given filters must match. Dates are strings such as 2026-11-20 09:30.

    userName, email, mobile: accounts with exactly this value, in any letter case
    displayName: accounts whose display name contains this text
    keyword: accounts whose user name, display name, e-mail address or mobile number contains this text
    isLockedOut: True for locked accounts only, False for unlocked accounts only
    lastActivityDateFrom, lastActivityDateTo: accounts whose last sign-in attempt, successful or not, is in this period
    creationDateFrom, creationDateTo: administrators created in this period
    """

    creationDateFrom: str
    creationDateTo: str


class Users(Resource[D]):
    """Operations of `client.users`; a `user_token` from `log_in` lets a key without the scope act for that user."""

    @operation
    def list(
        self, *, top: int | None = None, skip: int | None = None, **filters: Unpack[UserFilters]
    ) -> Operation[Page[User]]:
        """Return users in id order: all of them, or `top` users after the first `skip`."""
        check_names(filters, UserFilters)
        return _list("users", filters, top, skip)

    @walk
    def iterate(
        self, *, per_page: int = 100, progress: Progress | None = None, **filters: Unpack[UserFilters]
    ) -> Walk[User]:
        """Iterate over users in id order, requesting pages on demand; calls `progress(done, total)` after each user."""
        check_names(filters, UserFilters)
        return _walk("users", filters, per_page, progress)

    @operation
    def get(self, user_id: int, *, if_none_match: str | None = None, user_token: str | None = None) -> Operation[User]:
        """Return a user by id. Raises NotModified if its ETag still matches `if_none_match`."""
        made: Operation[User] = operations.get("users", user_id, read=record_of, if_none_match=if_none_match)
        return _for_user(made, user_token)

    @operation
    def create(self, members: Members, *, idempotency_key: str | None = None) -> Operation[User]:
        """Create a user and return it."""
        return operations.post("users", read=record_of, body=members, key=idempotency_key)

    @operation
    def update(
        self, user_id: int, members: Members, *, if_match: str | None = None, user_token: str | None = None
    ) -> Operation[User]:
        """Update these members of a user and return the user. Cannot change the password."""
        made: Operation[User] = operations.put("users", user_id, read=record_of, body=members, if_match=if_match)
        return _for_user(made, user_token)

    @operation
    def delete(self, user_id: int, *, if_match: str | None = None, user_token: str | None = None) -> Operation[User]:
        """Delete a user permanently and return its last state."""
        made: Operation[User] = operations.delete("users", user_id, read=record_of, if_match=if_match)
        return _for_user(made, user_token)

    @operation
    def upload_avatar(
        self,
        user_id: int,
        picture: bytes,
        file_name: str = "avatar.png",
        *,
        idempotency_key: str | None = None,
        user_token: str | None = None,
    ) -> Operation[User]:
        """Upload a GIF, JPEG, PNG, WebP or BMP picture and return the user with its new URL."""
        form = Form(picture, file_name, {}, part="avatar")
        made: Operation[User] = operations.send(
            "users", user_id, "avatar", read=record_of, form=form, key=idempotency_key
        )
        return _for_user(made, user_token)

    @operation
    def avatar_url(self, user_id: int) -> Operation[str]:
        """Return the URL of the user's picture, or of the default picture if the user has none. Needs no API key."""
        return operations.get("users", user_id, "avatar", read=text_value_of).open_to_all()

    @operation
    def logs(
        self, user_id: int, *, top: int | None = None, skip: int | None = None, user_token: str | None = None
    ) -> Operation[Page[LogEntry]]:
        """Return the user's log entries, newest first."""
        made: Operation[Page[LogEntry]] = operations.get(
            "users", user_id, "logs", read=page_of, query={"top": top, "skip": skip}
        )
        return _for_user(made, user_token)

    @operation
    def note(
        self,
        user_id: int,
        action: str,
        summary: str = "",
        *,
        idempotency_key: str | None = None,
        user_token: str | None = None,
    ) -> Operation[LogEntry]:
        """Add an entry to the user's log and return it."""
        body = {"action": action, "summary": summary}
        made: Operation[LogEntry] = operations.post(
            "users", user_id, "logs", read=record_of, body=body, key=idempotency_key
        )
        return _for_user(made, user_token)

    @operation
    def change_password(
        self, user_id: int, password: str, new_password: str, *, user_token: str | None = None
    ) -> Operation[User]:
        """Change a user's password, given the old one, and return the user. Sends both passwords in plain text."""
        body = {"password": password, "newPassword": new_password}
        place = ("users", user_id, "actions", "resetPassword")
        made: Operation[User] = operations.post(*place, read=record_of, body=body, key=None)
        return _for_user(made, user_token)

    @operation
    def reset_password(self, account: str, password: str, new_password: str) -> Operation[User]:
        """Change a user's password, given the old one, and return the user.

        `account` is a user name, e-mail address or mobile number. Pass both passwords in plain text; the client sends
        the MD5 of the old one.
        """
        return _reset("users", account, password, new_password)

    @operation
    def log_in(self, account: str, password: str) -> Operation[Login[User]]:
        """Sign a user in by user name, e-mail address or mobile number. The client sends the MD5 of the password."""
        return _log_in("users", account, password)

    @operation
    def log_out(self, user_token: str) -> Operation[User | None]:
        """Sign the user out and return it; None if the token was no longer valid."""
        return _log_out("users").with_headers(X_SS_USER_TOKEN=user_token)


class Administrators(Resource[D]):
    """Operations of `client.administrators`."""

    @operation
    def list(
        self, *, top: int | None = None, skip: int | None = None, **filters: Unpack[AdministratorFilters]
    ) -> Operation[Page[Administrator]]:
        """Return administrators in id order: all of them, or `top` administrators after the first `skip`."""
        check_names(filters, AdministratorFilters)
        return _list("administrators", filters, top, skip)

    @walk
    def iterate(
        self, *, per_page: int = 100, progress: Progress | None = None, **filters: Unpack[AdministratorFilters]
    ) -> Walk[Administrator]:
        """Iterate over administrators in id order, requesting pages on demand.

        Calls `progress(done, total)` after each administrator.
        """
        check_names(filters, AdministratorFilters)
        return _walk("administrators", filters, per_page, progress)

    @operation
    def get(self, administrator_id: int, *, if_none_match: str | None = None) -> Operation[Administrator]:
        """Return an administrator by id. Raises NotModified if its ETag still matches `if_none_match`."""
        return operations.get("administrators", administrator_id, read=record_of, if_none_match=if_none_match)

    @operation
    def create(self, members: Members, *, idempotency_key: str | None = None) -> Operation[Administrator]:
        """Create an ordinary administrator and return it."""
        return operations.post("administrators", read=record_of, body=members, key=idempotency_key)

    @operation
    def update(
        self, administrator_id: int, members: Members, *, if_match: str | None = None
    ) -> Operation[Administrator]:
        """Update these members of an administrator and return the administrator. Cannot change the password."""
        return operations.put("administrators", administrator_id, read=record_of, body=members, if_match=if_match)

    @operation
    def delete(self, administrator_id: int, *, if_match: str | None = None) -> Operation[Administrator]:
        """Delete an administrator and its API keys, and return its last state."""
        return operations.delete("administrators", administrator_id, read=record_of, if_match=if_match)

    @operation
    def reset_password(self, account: str, password: str, new_password: str) -> Operation[Administrator]:
        """Change an administrator's password, given the old one, and return the administrator.

        `account` is a user name, e-mail address or mobile number. Pass both passwords in plain text; the client sends
        the MD5 of the old one.
        """
        return _reset("administrators", account, password, new_password)

    @operation
    def log_in(self, account: str, password: str, *, code: str = "") -> Operation[Login[Administrator]]:
        """Sign an administrator in by user name, e-mail address or mobile number. Sends the MD5 of the password.

        `code` is the current code of a second factor; without it, BadRequest has the code `second_factor_required`.
        """
        return _log_in("administrators", account, password, **({"code": code} if code else {}))

    @operation
    def log_out(self, administrator_token: str) -> Operation[Administrator | None]:
        """Sign the administrator out and return it; None if the token was no longer valid."""
        return _log_out("administrators").with_headers(X_SS_ADMIN_TOKEN=administrator_token)


def _list(kind: str, filters: Mapping[str, object], top: int | None, skip: int | None) -> Operation[Page[Any]]:
    return operations.get(kind, read=page_of, query={**filters, "top": top, "skip": skip})


def _walk(kind: str, filters: Mapping[str, object], per_page: int, progress: Progress | None) -> Walk[Any]:
    def plan(_: Known) -> Plan[Any]:
        return windows_plan(lambda skip, top: _list(kind, filters, top, skip), per_page)

    return Walk(plan, progress, per_page)


def _reset(kind: str, account: str, password: str, new_password: str) -> Operation[Any]:
    body = {"account": account, "password": digest_of(password), "newPassword": new_password}
    return operations.post(kind, "actions", "resetPassword", read=record_of, body=body, key=None)


def _log_in(kind: str, account: str, password: str, **further: str) -> Operation[Login[Any]]:
    body = {"account": account, "password": digest_of(password), **further}
    return operations.attempt(kind, "actions", "login", read=login_of, body=body)


def _log_out(kind: str) -> Operation[Any]:
    return operations.post(kind, "actions", "logout", read=value_of, body={}, key=None)


def _for_user(made: Operation[T], user_token: str | None) -> Operation[T]:
    return made.with_headers(X_SS_USER_TOKEN=user_token)
