"""The rights of a token, cached per process for less than a second."""

import time
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from django.conf import settings
from django.db import transaction

from apikeys import tokens
from apikeys.models import ApiKeyToken, KeyState, LegacyToken, Token
from apikeys.scopes import READ, WRITE, Scope, parse_scopes
from core.lib import clock
from core.lib.change_number import ChangeNumber
from core.lib.errors import NotPermitted

# Changes made on another machine do not bump this machine's number and take effect within this time.
_SECONDS = 0.9
_LIMIT = 10_000  # remembered tokens

changes = ChangeNumber(settings.DATA_DIR / "key_changes")


@dataclass(frozen=True, slots=True)
class Grant:
    key_id: int
    key_name: str
    token: tuple[type[Token], int]  # its model and id
    administrator_id: int
    user_name: str
    scopes: dict[Scope, str]
    site_ids: frozenset[int] | None  # None: every site
    requests_per_minute: int  # 0: no limit
    ends_at: datetime | None
    last_used_at: datetime | None
    is_authenticated: ClassVar = True  # a grant exists for a valid token only

    @property
    def token_reference(self) -> tuple[str, int]:
        """Return the name of the token's model, and its id."""
        model, number = self.token
        return str(model._meta.model_name), number

    def allows(self, scope: Scope, access: str) -> bool:
        granted = self.scopes.get(scope)
        return granted == WRITE or (granted == READ and access == READ)

    def allows_site(self, site_id: int) -> bool:
        return self.site_ids is None or site_id in self.site_ids

    def require_site(self, site_id: int) -> None:
        """Raises NotPermitted."""
        if not self.allows_site(site_id):
            raise NotPermitted("site_not_allowed", f"The API key does not reach site {site_id}.")


_remembered: dict[str, tuple[bytes, float, Grant]] = {}
_UNUSABLE = {
    KeyState.REVOKED: "The API key has been revoked.",
    KeyState.OWNER_LOCKED: "The administrator to whom the API key belongs is locked.",
    KeyState.EXPIRED: "The API key has expired.",
}


def grant_of(token: str) -> Grant:
    """Return the current grant of the token. Raises NotPermitted with the reason if it allows nothing."""
    # Read before the query: a change committed in between outdates the number, and so the entry.
    number, now = changes.read(), time.monotonic()
    entry = _remembered.get(token)
    if entry and entry[0] == number and 0 <= now - entry[1] < _SECONDS:
        grant = entry[2]
        if grant.ends_at is None or clock.steady() < grant.ends_at:
            return grant
    row = _read(token)
    if (state := row.state) is not KeyState.VALID:
        raise NotPermitted(state.value, _UNUSABLE[state])
    grant = grant_by(row)
    if len(_remembered) >= _LIMIT:
        _remembered.clear()
    _remembered[token] = (number, now, grant)
    return grant


def _read(text: str) -> Token:
    if not tokens.is_well_formed(text):
        if (legacy := LegacyToken.objects.find(text)) is None:
            raise NotPermitted("key_unknown", "The API key is not known: it does not have the format of a key.")
        return legacy
    rows = ApiKeyToken.objects.select_related("api_key__administrator")
    row = rows.filter(public_part=tokens.public_part(text)).first()
    if row is None or not row.matches(text):
        raise NotPermitted("key_unknown", "The API key is not known; it may have been reset or deleted.")
    return row


def may_still_write(kind: str, number: int, scope: str, site_id: int) -> bool:
    """Return whether the token of this `Grant.token_reference` may write in the scope and the site now."""
    model = next(model for model in (ApiKeyToken, LegacyToken) if model._meta.model_name == kind)
    row = model._default_manager.select_related("api_key__administrator").filter(pk=number).first()
    if row is None or row.state is not KeyState.VALID:
        return False
    grant = grant_by(row)
    return grant.allows(Scope(scope), WRITE) and grant.allows_site(site_id)


def announce_change() -> None:
    """Make every process of this machine read keys again, once the current transaction is committed."""
    # A full disk must not make a committed change look failed; keys are reread every second anyway.
    transaction.on_commit(changes.bump, robust=True)


def grant_by(token: Token) -> Grant:
    key = token.api_key
    sites, scopes = key.parse_site_ids(), parse_scopes(key.scopes)
    if not key.administrator.is_superuser:
        # Below the highest rank the owner's sites are the limit; none listed means none.
        owners: frozenset[int] = key.administrator.reachable_site_ids
        sites = owners if sites is None else sites & owners
    if sites is not None:
        # Users, administrators and the system belong to no site: an owner who has lost the highest rank must not reach
        # them through an older key.
        scopes = {scope: access for scope, access in scopes.items() if scope.has_sites}
    ends = [end for end in (key.expires_at, token.valid_until) if end is not None]
    return Grant(
        key_id=key.pk,
        key_name=key.name,
        token=(type(token), token.pk),
        administrator_id=key.administrator_id,
        user_name=key.administrator.user_name,
        scopes=scopes,
        site_ids=sites,
        requests_per_minute=key.request_limit,
        ends_at=min(ends, default=None),
        last_used_at=token.last_used_at,
    )
