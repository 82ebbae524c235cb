"""Logins, logouts and changes of passwords."""

from functools import partial
from typing import Any, ClassVar, cast
from urllib.parse import urlsplit

from django.db import transaction
from rest_framework.request import Request
from rest_framework.response import Response

from accounts import access_tokens, services
from accounts.models import Account, Administrator, User
from accounts.passwords import change_password
from accounts.records import Record, administrator_record, user_record
from accounts.serializers import LoginSerializer, OwnPasswordSerializer, PasswordSerializer
from accounts.sign_in import Form, check_credentials, sign_in
from accounts.views.users import OwnUserView, TokenView, token_invalid
from cms_api import audit
from cms_api.lib.client_address import client_address
from cms_api.rest.envelope import Body
from cms_api.rest.views import ApiView, OpenView


class _LoginView(OpenView):
    kind: ClassVar[type[Account]]

    def post(self, request: Request) -> Response:
        """Who has signed in, with a token that shows it for seven days; `isAutoLogin` makes no difference."""
        sent = LoginSerializer.read_all(self.body)
        address = client_address(request)
        account = sign_in(self.kind, sent["account"], sent["password"], form=Form.EITHER, address=address)
        token, expiry = access_tokens.issue(account)
        shown = _record(account, request)
        return Response(Body(value=shown, accessToken=token, expiresAt=expiry.isoformat(" ", "seconds")))


class AdministratorLoginView(_LoginView):
    kind = Administrator


class UserLoginView(_LoginView):
    kind = User


class _LogoutView(TokenView):
    # The token is enough, and so is any key: whoever may show a token may also end it.
    permission_classes = ()
    deciding_headers = ("HTTP_X_SS_USER_TOKEN", "HTTP_X_SS_ADMIN_TOKEN")

    def post(self, request: Request) -> Response:
        """The account that signs out, null without a valid token; the token is invalid from now on.

        Raises NotPermitted without a key and a valid token.
        """
        token = self.find_token(request)
        account = access_tokens.owner(token, self.token_kind)
        if account is None and request.auth is None:
            raise token_invalid(self.token_kind)
        with transaction.atomic():
            access_tokens.end(token, self.token_kind)
            if isinstance(account, Administrator):
                audit.note("administrator.signed_out", account)
        response = Response(_record(account, request) if account else None)
        if self._cookie in request.COOKIES:
            response.delete_cookie(self._cookie)
        return response

    def find_token(self, request: Request) -> str:
        """As of the base, else the token of the cookie that the original's pages send."""
        return super().find_token(request) or self._token_of_cookie(request)

    @property
    def _cookie(self) -> str:
        return access_tokens.cookie_name(self.token_kind)

    def _token_of_cookie(self, request: Request) -> str:
        # The answer shows the account, and browsers send cookies along with requests of foreign pages, too.
        origin = urlsplit(request.headers.get("Origin", ""))
        is_own = not origin.netloc or origin.netloc == request.get_host()
        return request.COOKIES.get(self._cookie, "").strip() if is_own else ""


class AdministratorLogoutView(_LogoutView):
    token_kind = Administrator


class UserLogoutView(_LogoutView):
    token_kind = User


class _PasswordView(ApiView):
    stores_by_itself = True  # what is counted of wrong passwords outlives the refusal
    kind: ClassVar[type[Account]]

    def post(self, request: Request) -> Any:
        """Whose password has changed: the old one by its MD5, the new one in plain text."""
        sent = PasswordSerializer.read_all(self.body)
        address = client_address(request)
        account = check_credentials(self.kind, sent["account"], sent["password"], form=Form.MD5, address=address)
        return self.store(partial(_change, request, account, sent["new_password"]))


class AdministratorPasswordView(_PasswordView):
    required_scope = "Administrators"
    kind = Administrator


class UserPasswordView(_PasswordView):
    required_scope = "Users"
    kind = User


class OwnPasswordView(OwnUserView):
    stores_by_itself = True  # as above

    def post(self, request: Request, user_id: int) -> Any:
        """The user with the new password: the old one plain or by its MD5, the new one in plain text."""
        user = services.find(User, user_id)  # 404 comes before the body
        sent = OwnPasswordSerializer.read_all(self.body)
        address = client_address(request)
        check_credentials(User, user, sent["password"], form=Form.EITHER, address=address)
        return self.store(partial(_change, request, user, sent["new_password"]))

    def require_place(self, user_id: int) -> None:
        services.find(User, user_id)


def _change(request: Request, account: Account, new_password: str) -> Response:
    change_password(account, new_password, client_address(request))
    return Response(_record(account, request))


def _record(account: Account, request: Request) -> Record:
    if isinstance(account, User):
        return user_record(account, request)
    return administrator_record(cast(Administrator, account))
