from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, cast
from urllib.parse import quote, urlsplit

from django.conf import settings
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response

from accounts import access_tokens, avatars, records, serializers, services
from accounts.filters import AdministratorFilters, UserFilters
from accounts.models import Account, Administrator, User
from accounts.sign_in import Form, change_password, check_credentials, sign_in
from core import audit, captcha
from core.lib.client_address import client_address
from core.lib.errors import InvalidInput, NotPermitted
from core.rest.conditional import keep, tag_of, use
from core.rest.json import Body
from core.rest.names import to_wire
from core.rest.pagination import PagedList
from core.rest.views import ApiView, OpenView, raise_if_body_too_large
from core.uploads.form import read_file

_STANDING = ("is_checked", "is_locked_out")  # users cannot set these on themselves
MAX_CAPTCHA_NAME = 64  # characters
# Generated clients accept the second type, but not every image type.
PICTURE_TYPES = ("image/png", "application/octet-stream")


def _record(account: Account, request: Request) -> records.Record:
    if isinstance(account, User):
        return records.user_record(account, request)
    return records.administrator_record(cast(Administrator, account))


def _represent(request: Request, account: Account) -> tuple[str, records.Record]:
    record = _record(account, request)
    return tag_of("account", tuple(record.values())), record


class UsersView(ApiView):
    required_scope = "Users"
    filterset_class = UserFilters

    def perform_authentication(self, request: Request) -> None:
        """Allow a registration without a key. Raises NotPermitted."""
        try:
            super().perform_authentication(request)
        except NotPermitted as refusal:
            if refusal.code != "key_missing" or request.method != "POST" or settings.CMS_REGISTRATION == "off":
                raise
            raise_if_body_too_large(request, OpenView.max_body_bytes)

    def check_permissions(self, request: Request) -> None:
        if request.auth is not None:  # a registration has no key
            super().check_permissions(request)

    def get(self, request: Request) -> HttpResponseBase:
        chosen = self.filter_queryset(User.objects.all())
        return PagedList(request, records.USER.rows(chosen), partial(records.show_user, request)).answer()

    def post(self, request: Request) -> Response:
        members = serializers.UserCreationSerializer.read(self.body, require=("password", "user_name"))
        if request.auth is None:
            user = services.register(members.values, client_address(request))
        else:
            user = services.create_user(members.values)
        return Response(records.user_record(user, request))


class TokenView(ApiView):
    """A view that accepts an access token instead of an API key."""

    token_kind: type[Account]

    def perform_authentication(self, request: Request) -> None:
        try:
            super().perform_authentication(request)
        except NotPermitted as refusal:
            if refusal.code != "key_missing" or not self.find_token(request):
                raise

    def find_token(self, request: Request) -> str:
        return access_tokens.sent_token(request, self.token_kind)


class OwnUserView(TokenView):
    """A key with the scope Users reaches every user, an access token only its own user."""

    required_scope = "Users"
    owner_is_enough = True
    token_kind = User

    def check_permissions(self, request: Request) -> None:
        self.acts_as_owner = request.auth is None
        if not self.acts_as_owner:
            try:
                super().check_permissions(request)
            except NotPermitted as refusal:
                if refusal.code != "scope_missing" or not self.find_token(request):
                    raise
                self.acts_as_owner = True
        if self.acts_as_owner:
            user_id, owner = self.kwargs["user_id"], access_tokens.owner(self.find_token(request), User)
            if owner is None:
                raise _token_invalid(User)
            if owner.pk != user_id:
                raise NotPermitted("user_token_of_another", f"The access token does not belong to user {user_id}.")

    def require_place(self, user_id: int) -> None:
        services.find(User, user_id)


class UserView(OwnUserView):
    def get(self, request: Request, user_id: int) -> Response:
        tag, record = _represent(request, services.find(User, user_id))
        use(request, tag)
        return Response(record)

    def put(self, request: Request, user_id: int) -> Response:
        user = services.find(User, user_id)  # 404 comes before the body
        values = serializers.UserSerializer.read_change(self.body, partial(_record, user, request)).values
        if self.acts_as_owner:
            # Keeping them would undo a concurrent change by an administrator.
            for name in _STANDING:
                if values.pop(name, getattr(user, name)) != getattr(user, name):
                    message = f"{to_wire(name)} cannot be changed without the scope Users:write."
                    raise NotPermitted("scope_missing", message, scope="Users:write")
        if "avatar_url" in values and _is_shown(user, values["avatar_url"], request):
            del values["avatar_url"]
        precondition = self.if_match(partial(_represent, request))
        tag, record = _represent(request, services.update_user(user_id, values, precondition))
        keep(request, tag)
        return Response(record)

    def delete(self, request: Request, user_id: int) -> Response:
        # The response still contains the address of the deleted picture.
        deleted = services.delete_user(user_id, self.if_match(partial(_represent, request)))
        return Response(records.user_record(deleted, request))


class UserLogsView(OwnUserView):
    def get(self, request: Request, user_id: int) -> HttpResponseBase:
        user = services.find(User, user_id)
        rows = records.LOG_ENTRY.rows(user.logs.all())
        return PagedList(request, rows, records.LOG_ENTRY.fill, newest_first=True).answer()

    def post(self, request: Request, user_id: int) -> Response:
        services.find(User, user_id)  # 404 comes before the body
        values = serializers.LogEntrySerializer.read(self.body).values
        entry = services.note(user_id, client_address(request), values.get("action", ""), values.get("summary", ""))
        return Response(records.LOG_ENTRY.fill(records.LOG_ENTRY.row(entry)))


class AvatarView(OwnUserView):
    """Reading the address of an avatar needs no key."""

    stores_by_itself = True  # the file is drawn and stored before the change

    @property
    def _only_reads(self) -> bool:
        return self.request.method in self.read_methods

    def get_authenticators(self) -> list[Any]:
        # A bad key is ignored on a read.
        return [] if self._only_reads else super().get_authenticators()

    def check_permissions(self, request: Request) -> None:
        if not self._only_reads:
            super().check_permissions(request)

    def get(self, request: Request, user_id: int) -> Response:
        row = User.objects.filter(pk=user_id).values_list("avatar_file", "avatar_url").first()
        avatar_file, given_url = row or ("", "")
        return Response(avatars.avatar_url_of(avatar_file, given_url, request))

    def post(self, request: Request, user_id: int) -> Any:
        services.find(User, user_id)  # 404 comes before the body
        picture = read_file(request._request, max_bytes=settings.CMS_AVATAR_MAX_BYTES)

        def answer(switch: Callable[[], User]) -> Any:
            return self.store(lambda: Response(records.user_record(switch(), request)))

        return avatars.replace(User, user_id, picture, answer)


def _is_shown(user: User, address: str, request: HttpRequest) -> bool:
    shown = avatars.avatar_url(user.avatar_file, user.avatar_url, request)
    if not user.avatar_file:
        return address in {user.avatar_url, shown}
    # Compare paths only: the client may know another host, and the name is unique.
    return address.partition("?")[0].endswith(urlsplit(shown).path)


# ---- Administrators


class AdministratorsView(ApiView):
    required_scope = "Administrators"
    filterset_class = AdministratorFilters

    def get(self, request: Request) -> HttpResponseBase:
        chosen = self.filter_queryset(Administrator.objects.all())
        return PagedList(request, records.ADMINISTRATOR.rows(chosen), records.show_administrator).answer()

    def post(self, request: Request) -> Response:
        members = serializers.AdministratorCreationSerializer.read(self.body, require=("user_name", "password"))
        return Response(records.administrator_record(services.create_administrator(members.values)))


class AdministratorView(ApiView):
    required_scope = "Administrators"

    def get(self, request: Request, administrator_id: int) -> Response:
        tag, record = _represent(request, services.find(Administrator, administrator_id))
        use(request, tag)
        return Response(record)

    def put(self, request: Request, administrator_id: int) -> Response:
        administrator = services.find(Administrator, administrator_id)  # 404 comes before the body
        answered = partial(_record, administrator, request)
        values = serializers.AdministratorSerializer.read_change(self.body, answered).values
        precondition = self.if_match(partial(_represent, request))
        tag, record = _represent(request, services.update_administrator(administrator_id, values, precondition))
        keep(request, tag)
        return Response(record)

    def delete(self, request: Request, administrator_id: int) -> Response:
        deleted = services.delete_administrator(administrator_id, self.if_match(partial(_represent, request)))
        return Response(records.administrator_record(deleted))


# ---- Sign-in and passwords


class LoginView(OpenView):
    kind: type[Account] = User
    serializer = serializers.LoginSerializer

    def post(self, request: Request) -> Response:
        # `isAutoLogin` has no effect.
        sent = self.serializer.read_all(self.body)
        account = sign_in(
            self.kind,
            sent["account"],
            sent["password"],
            form=Form.EITHER,
            address=client_address(request),
            code=sent.get("code", ""),
        )
        token, expiry = access_tokens.issue(account)
        expires_at = expiry.isoformat(" ", "seconds")
        return Response(Body(value=_record(account, request), accessToken=token, expiresAt=expires_at))


class _LogoutView(TokenView):
    # The token suffices, and so does any key: everyone who has a token may end it.
    permission_classes = ()
    deciding_headers = ("HTTP_X_SS_USER_TOKEN", "HTTP_X_SS_ADMIN_TOKEN")

    def post(self, request: Request) -> Response:
        """End the token and return its account, or null without a valid one; without a key that is 401."""
        token = self.find_token(request)
        account = access_tokens.owner(token, self.token_kind)
        if account is None and request.auth is None:
            raise _token_invalid(self.token_kind)
        with transaction.atomic():
            access_tokens.end(token, self.token_kind)
            if isinstance(account, Administrator):
                audit.record("administrator.signed_out", account)
        response = Response(_record(account, request) if account else None)
        cookie = access_tokens.cookie_name(self.token_kind)
        if cookie in request.COOKIES:
            response.delete_cookie(cookie)
        return response

    def find_token(self, request: Request) -> str:
        if token := super().find_token(request):
            return token
        # The response shows the account, and browsers send cookies with cross-site requests.
        origin = urlsplit(request.headers.get("Origin", ""))
        is_own = not origin.netloc or origin.netloc == request.get_host()
        return request.COOKIES.get(access_tokens.cookie_name(self.token_kind), "").strip() if is_own else ""


class AdministratorLogoutView(_LogoutView):
    token_kind = Administrator


class UserLogoutView(_LogoutView):
    token_kind = User


class _PasswordView(ApiView):
    stores_by_itself = True  # counts of wrong passwords outlive the refusal
    kind: ClassVar[type[Account]]

    def post(self, request: Request) -> Any:
        sent = serializers.PasswordSerializer.read_all(self.body)
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
    stores_by_itself = True  # see _PasswordView

    def post(self, request: Request, user_id: int) -> Any:
        user = services.find(User, user_id)  # 404 comes before the body
        sent = serializers.OwnPasswordSerializer.read_all(self.body)
        check_credentials(User, user, sent["password"], form=Form.EITHER, address=client_address(request))
        return self.store(partial(_change, request, user, sent["new_password"]))


def _change(request: Request, account: Account, new_password: str) -> Response:
    change_password(account, new_password, client_address(request))
    return Response(_record(account, request))


def _token_invalid(kind: type[Account]) -> NotPermitted:
    name = kind._meta.model_name
    return NotPermitted(f"{name}_token_invalid", f"The {name}'s access token is not valid or has ended; sign in again.")


# ---- Captchas


class CaptchaView(OpenView):
    def get(self, request: Request, name: str) -> HttpResponse:
        token = captcha.new_token(_checked_name(name))
        content_type = request.get_preferred_type(PICTURE_TYPES) or PICTURE_TYPES[0]
        response = HttpResponse(captcha.draw(name, token), content_type=content_type)
        response.headers["Cache-Control"] = "no-store"
        response.headers["Pragma"] = "no-cache"
        cookie = _captcha_cookie(name)
        response.set_cookie(cookie, token, max_age=captcha.SECONDS, httponly=True, **_cross_site(request))
        return response


class CaptchaCheckView(OpenView):
    _is_used_up = False

    def post(self, request: Request, name: str) -> Response:
        """Return true or raise InvalidInput; a body without a readable answer does not use up the captcha."""
        token = request.COOKIES.get(_captcha_cookie(_checked_name(name)), "")
        values = serializers.CaptchaSerializer.read(self.body, require=["captcha"]).values
        self._is_used_up = True
        captcha.check(name, token, values["captcha"])
        return Response(True)

    def finalize_response(self, request: Any, response: Any, *args: Any, **kwargs: Any) -> Any:
        response = super().finalize_response(request, response, *args, **kwargs)
        if self._is_used_up:
            samesite = _cross_site(request).get("samesite")
            response.delete_cookie(_captcha_cookie(self.kwargs["name"]), samesite=samesite)
        return response


def _checked_name(name: str) -> str:
    if len(name) > MAX_CAPTCHA_NAME:
        raise InvalidInput(
            "captcha_name_too_long", f"The name of a captcha must have at most {MAX_CAPTCHA_NAME} characters."
        )
    return name


def _captcha_cookie(name: str) -> str:
    # Percent-encoded, since cookie names are ASCII tokens; LOGIN-CAPTCHA stays unchanged.
    return f"SS-{quote(name, safe='')}"


def _cross_site(request: HttpRequest | Request) -> dict[str, Any]:
    return {"samesite": "None", "secure": True} if request.is_secure() else {}
