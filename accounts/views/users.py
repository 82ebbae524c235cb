"""The endpoints of users."""

from typing import Any
from urllib.parse import urlsplit

from django.http import HttpRequest, HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response

from accounts import access_tokens, registration, services
from accounts.avatars import avatar_url
from accounts.filters import UserFilters
from accounts.models import Account, User
from accounts.records import (
    Record,
    log_record,
    log_rows,
    show_log,
    show_user,
    tag_of_account,
    user_record,
    user_rows,
)
from accounts.serializers import LogEntrySerializer, UserCreationSerializer, UserSerializer
from cms_api.lib.client_address import client_address
from cms_api.lib.errors import NotPermitted
from cms_api.rest.conditional import keep, use
from cms_api.rest.names import to_wire
from cms_api.rest.pagination import PagedList
from cms_api.rest.views import ApiView, OpenView, refuse_large_body

# What no user decides about themselves.
_STANDING = ("is_checked", "is_locked_out")


class UsersView(ApiView):
    """`/users`: the members of the sites."""

    required_scope = "Users"
    filterset_class = UserFilters

    def perform_authentication(self, request: Request) -> None:
        """Raises NotPermitted for a wrong key, and without a key unless it is a registration."""
        try:
            super().perform_authentication(request)
        except NotPermitted as refusal:
            if refusal.code != "key_missing" or request.method != "POST" or not registration.is_open():
                raise
            refuse_large_body(request, OpenView.max_body_bytes)

    def check_permissions(self, request: Request) -> None:
        """Raises NotPermitted for a key without the scope; a registration has no key."""
        if request.auth is not None:
            super().check_permissions(request)

    def get(self, request: Request) -> HttpResponseBase:
        chosen = self.filter_queryset(User.objects.all())
        return PagedList(request, user_rows(chosen), show_user(request)).answer()

    def post(self, request: Request) -> Response:
        members = UserCreationSerializer.read(self.body, require=("password", "user_name"))
        if request.auth is None:
            user = registration.register(members.values, client_address(request))
        else:
            user = services.create_user(members.values)
        return Response(user_record(user, request))


class TokenView(ApiView):
    """A view for which an access token can replace a missing API key."""

    token_kind: type[Account]

    def perform_authentication(self, request: Request) -> None:
        """Raises NotPermitted for a wrong key, and without a key and a token."""
        try:
            super().perform_authentication(request)
        except NotPermitted as refusal:
            if refusal.code != "key_missing" or not self.find_token(request):
                raise

    def find_token(self, request: Request) -> str:
        """The text of the token that the request carries; empty without one."""
        return access_tokens.sent_token(request, self.token_kind)


class OwnUserView(TokenView):
    """One user: a key with the scope Users reaches every user, the user's access token the user."""

    required_scope = "Users"
    owner_is_enough = True
    token_kind = User

    def check_permissions(self, request: Request) -> None:
        """Raises NotPermitted when neither the key nor the token is enough."""
        self.acts_as_owner = request.auth is None
        if not self.acts_as_owner:
            try:
                super().check_permissions(request)
            except NotPermitted as refusal:
                if refusal.code != "scope_missing" or not self.find_token(request):
                    raise
                self.acts_as_owner = True
        if self.acts_as_owner:
            _require_owner(self.find_token(request), self.kwargs["user_id"])


class UserView(OwnUserView):
    """`/users/{id}`: one user."""

    def get(self, request: Request, user_id: int) -> Response:
        record = user_record(services.find(User, user_id), request)
        use(request, tag_of_account(record))
        return Response(record)

    def put(self, request: Request, user_id: int) -> Response:
        """The user after the change of what was sent; a password is never changed here."""
        user = services.find(User, user_id)  # 404 comes before the body
        values = UserSerializer.read(self.body).values
        if self.acts_as_owner:
            _drop_own_standing(user, values)
        if "avatar_url" in values and _is_shown(user, values["avatar_url"], request):
            del values["avatar_url"]
        precondition = self.if_match(self._represent)
        record = user_record(services.update_user(user_id, values, precondition), request)
        keep(request, tag_of_account(record))
        return Response(record)

    def delete(self, request: Request, user_id: int) -> Response:
        # The address of the picture, which is gone afterwards, is still told.
        precondition = self.if_match(self._represent)
        return Response(user_record(services.delete_user(user_id, precondition), request))

    def _represent(self, user: User) -> tuple[str, Record]:
        record = user_record(user, self.request)
        return tag_of_account(record), record


class UserLogsView(OwnUserView):
    """`/users/{id}/logs`: what was noted of a user."""

    def get(self, request: Request, user_id: int) -> HttpResponseBase:
        user = services.find(User, user_id)
        return PagedList(request, log_rows(user.logs.all()), show_log, newest_first=True).answer()

    def post(self, request: Request, user_id: int) -> Response:
        services.find(User, user_id)  # 404 comes before the body
        values = LogEntrySerializer.read(self.body).values
        entry = services.note(user_id, client_address(request), values.get("action", ""), values.get("summary", ""))
        return Response(log_record(entry))

    def require_place(self, user_id: int) -> None:
        services.find(User, user_id)


def token_invalid(kind: type[Account]) -> NotPermitted:
    """The refusal of a token that shows no account."""
    name = kind._meta.model_name
    return NotPermitted(f"{name}_token_invalid", f"The {name}'s access token is not valid or has ended; sign in again.")


def _require_owner(token: str, user_id: int) -> None:
    user = access_tokens.owner(token, User)
    if user is None:
        raise token_invalid(User)
    if user.pk != user_id:
        raise NotPermitted("user_token_of_another", f"The access token belongs to another user than {user_id}.")


def _drop_own_standing(user: User, values: dict[str, Any]) -> None:
    """Take approval and lock out of the values. Raises NotPermitted when they are to change.

    Left in, they would undo what an administrator does at the same moment.
    """
    for name in _STANDING:
        if values.pop(name, getattr(user, name)) != getattr(user, name):
            message = f"{to_wire(name)} cannot be changed without the scope Users:write."
            raise NotPermitted("scope_missing", message, scope="Users:write")


def _is_shown(user: User, address: str, request: HttpRequest) -> bool:
    """Whether the address is what answers show already, so that a client may send back what it got."""
    shown = avatar_url(user.avatar_file, user.avatar_url, request)
    if not user.avatar_file:
        return address in {user.avatar_url, shown}
    # Its name is unique, whatever the host through which the client knows it.
    return address.partition("?")[0].endswith(urlsplit(shown).path)
