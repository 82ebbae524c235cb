"""Users and administrators, and how they sign in."""

from collections.abc import Mapping
from hashlib import sha256
from mimetypes import guess_type
from typing import Any, TypedDict, TypeVar, Unpack

from cms_client import operations
from cms_client.answers import login_of, page_of, record_of, text_value_of, value_of
from cms_client.binding import D, Resource, operation, walk
from cms_client.exchange import Known
from cms_client.operations import Operation, Repeats
from cms_client.records import Administrator, LogEntry, Login, Page, User
from cms_client.walking import Plan, Progress, Walk, windows_plan
from cms_client.wire import Members, check_names, digest_of, path_of

T = TypeVar("T")


class AccountFilters(TypedDict, total=False):
    """The filters that users and administrators share."""

    userName: str
    displayName: str
    email: str
    mobile: str
    keyword: str
    isLockedOut: bool
    lastActivityDateFrom: str
    lastActivityDateTo: str


class UserFilters(AccountFilters, total=False):
    """The filters of users, all of which must hold. Dates are texts such as 2026-11-20 09:30.

    userName, email, mobile: accounts with exactly this value, in any letter case
    displayName: accounts with this text anywhere in the display name
    keyword: accounts with this text in their name, display name, e-mail address or mobile
    isLockedOut: locked accounts only, or with False only those that are not
    lastActivityDateFrom, lastActivityDateTo: accounts that last signed in, or tried to, within this time
    isChecked: approved users only, or with False only those that are not
    createDateFrom, createDateTo: users created within this time
    """

    isChecked: bool
    createDateFrom: str
    createDateTo: str


class AdministratorFilters(AccountFilters, total=False):
    """The filters of administrators, all of which must hold. Dates are texts such as 2026-11-20 09:30.

    userName, email, mobile: accounts with exactly this value, in any letter case
    displayName: accounts with this text anywhere in the display name
    keyword: accounts with this text in their name, display name, e-mail address or mobile
    isLockedOut: locked accounts only, or with False only those that are not
    lastActivityDateFrom, lastActivityDateTo: accounts that last signed in, or tried to, within this time
    creationDateFrom, creationDateTo: administrators created within this time
    """

    creationDateFrom: str
    creationDateTo: str


class Users(Resource[D]):
    """`client.users`; a `user_token` of `log_in` lets a key without the scope act for that user."""

    @operation
    def list(
        self, *, top: int | None = None, skip: int | None = None, **filters: Unpack[UserFilters]
    ) -> Operation[Page[User]]:
        """The users by id: all of them, or `top` after `skip`."""
        check_names(filters, UserFilters)
        return _list("users", filters, top, skip)

    @walk
    def iterate(
        self, *, per_page: int = 100, progress: Progress | None = None, **filters: Unpack[UserFilters]
    ) -> Walk[User]:
        """The users by id, page after page as they are asked for; `progress(done, total)` after each."""
        check_names(filters, UserFilters)
        return _walk("users", filters, per_page, progress)

    @operation
    def get(self, user_id: int, *, if_none_match: str | None = None, user_token: str | None = None) -> Operation[User]:
        """One user."""
        made: Operation[User] = operations.get("users", user_id, read=record_of, if_none_match=if_none_match)
        return _for_user(made, user_token)

    @operation
    def create(self, members: Members, *, idempotency_key: str | None = None) -> Operation[User]:
        """The new user."""
        return operations.post("users", read=record_of, body=members, key=idempotency_key)

    @operation
    def update(
        self, user_id: int, members: Members, *, if_match: str | None = None, user_token: str | None = None
    ) -> Operation[User]:
        """The user after the change of these members; a password is never changed here."""
        made: Operation[User] = operations.put("users", user_id, read=record_of, body=members, if_match=if_match)
        return _for_user(made, user_token)

    @operation
    def delete(self, user_id: int, *, if_match: str | None = None, user_token: str | None = None) -> Operation[User]:
        """The user as it was, deleted for good."""
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
        """The user with the address of the new picture: gif, jpg, png, webp or bmp."""
        made: Operation[User] = operations.keyed(_upload(user_id, picture, file_name), idempotency_key)
        return _for_user(made, user_token)

    @operation
    def avatar_url(self, user_id: int) -> Operation[str]:
        """The address of the picture; that of a default one for who has none. Needs no key."""
        return operations.get("users", user_id, "avatar", read=text_value_of).open_to_all()

    @operation
    def logs(
        self, user_id: int, *, top: int | None = None, skip: int | None = None, user_token: str | None = None
    ) -> Operation[Page[LogEntry]]:
        """What was noted of the user, newest first."""
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
        """The new entry."""
        body = {"action": action, "summary": summary}
        made: Operation[LogEntry] = operations.post(
            "users", user_id, "logs", read=record_of, body=body, key=idempotency_key
        )
        return _for_user(made, user_token)

    @operation
    def change_password(
        self, user_id: int, password: str, new_password: str, *, user_token: str | None = None
    ) -> Operation[User]:
        """The user with a new password, by the old one; both in plain text."""
        body = {"password": password, "newPassword": new_password}
        place = ("users", user_id, "actions", "resetPassword")
        made: Operation[User] = operations.post(*place, read=record_of, body=body, key=None)
        return _for_user(made, user_token)

    @operation
    def reset_password(self, account: str, password: str, new_password: str) -> Operation[User]:
        """The same, by name, e-mail address or mobile; both passwords in plain text."""
        return _reset("users", account, password, new_password)

    @operation
    def log_in(self, account: str, password: str) -> Operation[Login[User]]:
        """Who has signed in by name, e-mail address or mobile, and a plain password, which travels as its MD5."""
        return _log_in("users", account, password)

    @operation
    def log_out(self, user_token: str) -> Operation[User | None]:
        """Who has signed out; None for a token that was not valid any more."""
        return _log_out("users").with_headers(X_SS_USER_TOKEN=user_token)


class Administrators(Resource[D]):
    """`client.administrators`"""

    @operation
    def list(
        self, *, top: int | None = None, skip: int | None = None, **filters: Unpack[AdministratorFilters]
    ) -> Operation[Page[Administrator]]:
        """The administrators by id: all of them, or `top` after `skip`."""
        check_names(filters, AdministratorFilters)
        return _list("administrators", filters, top, skip)

    @walk
    def iterate(
        self, *, per_page: int = 100, progress: Progress | None = None, **filters: Unpack[AdministratorFilters]
    ) -> Walk[Administrator]:
        """The administrators by id, page after page as they are asked for; `progress(done, total)` after each."""
        check_names(filters, AdministratorFilters)
        return _walk("administrators", filters, per_page, progress)

    @operation
    def get(self, administrator_id: int, *, if_none_match: str | None = None) -> Operation[Administrator]:
        """One administrator."""
        return operations.get("administrators", administrator_id, read=record_of, if_none_match=if_none_match)

    @operation
    def create(self, members: Members, *, idempotency_key: str | None = None) -> Operation[Administrator]:
        """The new administrator, of ordinary rank."""
        return operations.post("administrators", read=record_of, body=members, key=idempotency_key)

    @operation
    def update(
        self, administrator_id: int, members: Members, *, if_match: str | None = None
    ) -> Operation[Administrator]:
        """The administrator after the change of these members; a password is never changed here."""
        return operations.put("administrators", administrator_id, read=record_of, body=members, if_match=if_match)

    @operation
    def delete(self, administrator_id: int, *, if_match: str | None = None) -> Operation[Administrator]:
        """The administrator as it was, deleted with its API keys."""
        return operations.delete("administrators", administrator_id, read=record_of, if_match=if_match)

    @operation
    def reset_password(self, account: str, password: str, new_password: str) -> Operation[Administrator]:
        """The administrator with a new password, by the old one; both in plain text."""
        return _reset("administrators", account, password, new_password)

    @operation
    def log_in(self, account: str, password: str) -> Operation[Login[Administrator]]:
        """Who has signed in by name, e-mail address or mobile, and a plain password, which travels as its MD5."""
        return _log_in("administrators", account, password)

    @operation
    def log_out(self, administrator_token: str) -> Operation[Administrator | None]:
        """Who has signed out; None for a token that was not valid any more."""
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


def _log_in(kind: str, account: str, password: str) -> Operation[Login[Any]]:
    body = {"account": account, "password": digest_of(password)}
    return operations.attempt(kind, "actions", "login", read=login_of, body=body)


def _log_out(kind: str) -> Operation[Any]:
    return operations.post(kind, "actions", "logout", read=value_of, body={}, key=None)


def _for_user(made: Operation[T], user_token: str | None) -> Operation[T]:
    return made.with_headers(X_SS_USER_TOKEN=user_token)


def _upload(user_id: int, picture: bytes, file_name: str) -> Operation[User]:
    # Out of the picture itself, so that the same upload is the same body, as an Idempotency-Key wants it.
    boundary = sha256(picture).hexdigest()
    name = file_name.translate({ord('"'): "%22", ord("\r"): "%0D", ord("\n"): "%0A"})
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="avatar"; filename="{name}"\r\n'
    head += f"Content-Type: {guess_type(file_name)[0] or 'application/octet-stream'}\r\n\r\n"
    body = head.encode() + picture + f"\r\n--{boundary}--\r\n".encode()
    upload = Operation("POST", path_of("users", user_id, "avatar"), record_of, Repeats.NEVER, body=body)
    return upload.with_headers(Content_Type=f"multipart/form-data; boundary={boundary}")
