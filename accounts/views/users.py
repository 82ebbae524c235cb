"""The endpoints of users."""

from typing import Any
from urllib.parse import urlsplit

from django.http import HttpRequest, HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response

from accounts import access_tokens, services
from accounts.avatars import avatar_url
from accounts.filters import UserFilters
from accounts.models import User
from accounts.records import (
    demand_of,
    log_record,
    log_rows,
    show_log,
    show_user,
    tag_of_account,
    user_record,
    user_rows,
)
from accounts.serializers import LogEntrySerializer, UserCreationSerializer, UserSerializer
from cms_api.rest.client_address import client_address
from cms_api.rest.conditional import keep, use
from cms_api.rest.errors import Unauthorized
from cms_api.rest.names import to_wire
from cms_api.rest.paging import PagedList
from cms_api.rest.views import ApiView

# What no user decides about themselves.
_STANDING = ("is_checked", "is_locked_out")


class UsersView(ApiView):
    """`/users`: the members of the sites."""

    required_scope = "Users"

    def get(self, request: Request) -> HttpResponseBase:
        """The users that the filters choose."""
        chosen = UserFilters.chosen(request, User.objects.all())
        return PagedList(request, user_rows(chosen), show_user(request)).answer()

    def post(self, request: Request) -> Response:
        """The new user."""
        members = UserCreationSerializer.read(self.body, require=("password", "user_name"))
        return Response(user_record(services.create_user(members.values), request))


class OwnUserView(ApiView):
    """One user: a key with the scope Users reaches every user, any other key the one who has signed in.

    The latter shows the user's access token in the header X-SS-USER-TOKEN.
    """

    required_scope = "Users"
    owner_is_enough = True

    def check_permissions(self, request: Request) -> None:
        """Raises Unauthorized when neither the key nor the token is enough."""
        self.acts_as_owner = False
        try:
            super().check_permissions(request)
        except Unauthorized as refusal:
            if refusal.code != "scope_missing" or not access_tokens.is_sent(request, User):
                raise
            _require_owner(request, self.kwargs["user_id"])
            self.acts_as_owner = True


class UserView(OwnUserView):
    """`/users/{id}`: one user."""

    def get(self, request: Request, user_id: int) -> Response:
        """The user."""
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
        demand = demand_of(request, lambda present: user_record(present, request))
        record = user_record(services.update_user(user_id, values, demand), request)
        keep(request, tag_of_account(record))
        return Response(record)

    def delete(self, request: Request, user_id: int) -> Response:
        """The user as it was."""
        # The address of the picture, which is gone afterwards, is still told.
        demand = demand_of(request, lambda present: user_record(present, request))
        return Response(user_record(services.delete_user(user_id, demand), request))


class UserLogsView(OwnUserView):
    """`/users/{id}/logs`: what was noted of a user."""

    def get(self, request: Request, user_id: int) -> HttpResponseBase:
        """The entries, newest first."""
        user = services.find(User, user_id)
        return PagedList(request, log_rows(user.logs.all()), show_log, newest_first=True).answer()

    def post(self, request: Request, user_id: int) -> Response:
        """The new entry."""
        services.find(User, user_id)  # 404 comes before the body
        values = LogEntrySerializer.read(self.body).values
        entry = services.note(user_id, client_address(request), values.get("action", ""), values.get("summary", ""))
        return Response(log_record(entry))

    def require_place(self, user_id: int) -> None:
        """Raises NotFound for a user that there is not."""
        services.find(User, user_id)


def _require_owner(request: Request, user_id: int) -> None:
    user = access_tokens.owner(request, User)
    if user is None:
        message = "The token in X-SS-USER-TOKEN is not valid, or not any more; the user has to sign in again."
        raise Unauthorized("user_token_invalid", message)
    if user.pk != user_id:
        message = f"The token in X-SS-USER-TOKEN is that of another user than {user_id}."
        raise Unauthorized("user_token_of_another", message)


def _drop_own_standing(user: User, values: dict[str, Any]) -> None:
    """Take approval and lock out of the values. Raises Unauthorized when they are to change.

    Left in, they would undo what an administrator does at the same moment.
    """
    for name in _STANDING:
        if values.pop(name, getattr(user, name)) != getattr(user, name):
            message = f"{to_wire(name)} cannot be changed without the scope Users:write."
            raise Unauthorized("scope_missing", message, scope="Users:write")


def _is_shown(user: User, address: str, request: HttpRequest) -> bool:
    """Whether the address is what answers show already, so that a client may send back what it got."""
    shown = avatar_url(user.avatar_file, user.avatar_url, request)
    if not user.avatar_file:
        return address in {user.avatar_url, shown}
    # Its name is unique, whatever the host through which the client knows it.
    return address.partition("?")[0].endswith(urlsplit(shown).path)
