import time
from datetime import datetime, timedelta
from typing import NamedTuple, TypeVar

from django.core.signing import BadSignature, Signer
from django.db.models import Exists
from django.utils.crypto import get_random_string
from rest_framework.request import Request

from accounts.models import Account, Administrator, EndedToken, User
from core.lib import clock

AccountT = TypeVar("AccountT", bound=Account)

LIFETIME = timedelta(days=7)
# header as in META; query parameter in lower case; cookie
_PLACES: dict[type[Account], tuple[str, str, str]] = {
    User: ("HTTP_X_SS_USER_TOKEN", "usertoken", "SS-USER-TOKEN"),
    Administrator: ("HTTP_X_SS_ADMIN_TOKEN", "admintoken", "SS-ADMIN-TOKEN"),
}


class _Token(NamedTuple):
    """The signed members; `expires_at` in seconds of Unix time."""

    kind: str
    account_id: int
    password_stamp: str
    token_stamp: str
    nonce: str
    expires_at: int


def issue(account: Account, place: str = "") -> tuple[str, datetime]:
    """Return a signed token and its wall-clock expiry time; only `owner` and `end` of the same place accept it."""
    token = _Token(
        kind=account._meta.model_name or "",
        account_id=account.pk,
        password_stamp=account.password_stamp,
        token_stamp=account.token_stamp,
        nonce=get_random_string(22),
        expires_at=int(time.time()) + int(LIFETIME.total_seconds()),
    )
    return _signer(place).sign_object(token), datetime.fromtimestamp(token.expires_at)


def owner(text: str, kind: type[AccountT], place: str = "") -> AccountT | None:
    """Return the account; None if the token is invalid or the account is locked, deleted or has a new password."""
    token = _read(text, kind, place)
    if token is None:
        return None
    is_ended = Exists(EndedToken.objects.filter(nonce=token.nonce))
    account: AccountT | None = kind._default_manager.filter(~is_ended, pk=token.account_id).first()
    if account is None or not account.may_sign_in:
        return None
    is_current = account.password_stamp == token.password_stamp and account.token_stamp == token.token_stamp
    return account if is_current else None


def sent_token(request: Request, kind: type[Account]) -> str:
    """Return the token of the header (X-SS-USER-TOKEN, X-SS-ADMIN-TOKEN), else of the query (userToken, adminToken)."""
    header, parameter, _ = _PLACES[kind]
    secrets: dict[str, str] = getattr(request, "query_secrets", {})
    return request.META.get(header, "").strip() or secrets.get(parameter, "")


def cookie_name(kind: type[Account]) -> str:
    """Return the cookie of SiteServer's pages; only logouts read it, since any page can make a browser send it."""
    return _PLACES[kind][2]


def end(text: str, kind: type[Account], place: str = "") -> None:
    token = _read(text, kind, place)
    if token is None:
        return
    ended = EndedToken(nonce=token.nonce, expires_at=datetime.fromtimestamp(token.expires_at))
    EndedToken.objects.bulk_create([ended], ignore_conflicts=True)  # two requests may end the same token
    # A day late, because wall clocks are set back in autumn.
    EndedToken.objects.filter(expires_at__lt=clock.now() - timedelta(days=1)).delete()


def _read(text: str, kind: type[Account], place: str) -> _Token | None:
    try:
        token = _Token(*_signer(place).unsign_object(text))
    except (BadSignature, TypeError):  # a TypeError: another release signed a token with more or fewer members
        return None
    return token if token.kind == kind._meta.model_name and time.time() < token.expires_at else None


def _signer(place: str = "") -> Signer:
    return Signer(salt=f"accounts.access_tokens{place and f' {place}'}")
