"""Access tokens: a login returns one, and later requests carry it to show who has signed in.

A token opens a user's own record and the logout, with an API key or without one; nothing else takes it for a key.
"""

import time
from datetime import datetime, timedelta
from typing import NamedTuple, TypeVar

from django.core.signing import BadSignature, Signer
from django.db.models import Exists
from django.utils.crypto import get_random_string
from rest_framework.request import Request

from accounts.models import Account, Administrator, EndedToken, User
from cms_api.lib import clock

AccountT = TypeVar("AccountT", bound=Account)

LIFETIME = timedelta(days=7)
# header, as META names it; query parameter, in lower case; cookie
_PLACES: dict[type[Account], tuple[str, str, str]] = {
    User: ("HTTP_X_SS_USER_TOKEN", "usertoken", "SS-USER-TOKEN"),
    Administrator: ("HTTP_X_SS_ADMIN_TOKEN", "admintoken", "SS-ADMIN-TOKEN"),
}


class _Token(NamedTuple):
    """What is signed; `expires_at` in seconds of Unix time."""

    kind: str
    account_id: int
    password_stamp: str
    token_stamp: str
    nonce: str
    expires_at: int

    @property
    def expiry(self) -> datetime:
        """The wall-clock time at which it expires."""
        return datetime.fromtimestamp(self.expires_at)


def issue(account: Account) -> tuple[str, datetime]:
    """A signed token for the account, and when it expires: seven days from now."""
    expires_at = int(time.time()) + int(LIFETIME.total_seconds())
    token = _Token(
        _kind(type(account)), account.pk, account.password_stamp, account.token_stamp, get_random_string(22), expires_at
    )
    return _signer().sign_object(token), token.expiry


def owner(text: str, kind: type[AccountT]) -> AccountT | None:
    """The account of a token.

    None for any other text, and when the token is expired, ended, or the account has since got another password,
    been locked or deleted.
    """
    token = _read(text, kind)
    if token is None:
        return None
    is_ended = Exists(EndedToken.objects.filter(nonce=token.nonce))
    account: AccountT | None = kind._default_manager.filter(~is_ended, pk=token.account_id).first()
    if (
        account is None
        or not account.may_sign_in
        or (account.password_stamp, account.token_stamp)
        != (
            token.password_stamp,
            token.token_stamp,
        )
    ):
        return None
    return account


def sent_token(request: Request, kind: type[Account]) -> str:
    """The text in the header (X-SS-USER-TOKEN, X-SS-ADMIN-TOKEN), else in the query (userToken, adminToken)."""
    header, parameter, _ = _PLACES[kind]
    secrets: dict[str, str] = getattr(request, "query_secrets", {})
    return request.META.get(header, "").strip() or secrets.get(parameter, "")


def cookie_name(kind: type[Account]) -> str:
    """The cookie in which pages of the original keep the token; only logouts read it, since any page can cause it
    to be sent.
    """
    return _PLACES[kind][2]


def end(text: str, kind: type[Account]) -> None:
    """Make the token invalid from now on."""
    token = _read(text, kind)
    if token is None:
        return
    EndedToken.objects.bulk_create(
        [EndedToken(nonce=token.nonce, expires_at=token.expiry)],
        ignore_conflicts=True,  # two requests may end the same one
    )
    # A day later than need be: wall clocks are set back in autumn.
    EndedToken.objects.filter(expires_at__lt=clock.now() - timedelta(days=1)).delete()


def _read(text: str, kind: type[Account]) -> _Token | None:
    """The token if it is one of ours, for an account of the kind, and not expired."""
    try:
        token = _Token(*_signer().unsign_object(text))
    except (BadSignature, TypeError):  # the latter of a token with more or fewer members: of another release
        return None
    return token if token.kind == _kind(kind) and time.time() < token.expires_at else None


def _kind(kind: type[Account]) -> str:
    return kind._meta.model_name or ""


def _signer() -> Signer:
    return Signer(salt="accounts.access_tokens")
