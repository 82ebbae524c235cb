"""What a token allows, remembered by each process only as long as it is surely true (design §6)."""

import time
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db import transaction

from apikeys import tokens
from apikeys.models import ApiKey, ApiKeyToken, State
from apikeys.scopes import READ, WRITE, Scope, parse_scopes
from cms_api.lib import clock
from cms_api.lib.change_number import ChangeNumber
from cms_api.lib.errors import NotPermitted

# Another machine cannot raise our change number: what it changed is seen within this time.
_SECONDS = 0.9
_LIMIT = 10_000  # remembered tokens

changes = ChangeNumber(settings.DATA_DIR / "key_changes")


@dataclass(frozen=True, slots=True)
class Grant:
    """A valid token: whose it is, what it opens and where. Stands as `request.auth`."""

    key_id: int
    key_name: str
    token_id: int
    administrator_id: int
    user_name: str
    scopes: dict[Scope, str]
    site_ids: frozenset[int] | None  # None: every site
    requests_per_minute: int  # 0: any number
    ends_at: datetime | None
    last_used_at: datetime | None

    @property
    def is_authenticated(self) -> bool:
        """True: a grant exists for a valid token only."""
        return True

    def allows(self, scope: Scope, access: str) -> bool:
        """Whether the scope is granted; write access includes reading."""
        granted = self.scopes.get(scope)
        return granted == WRITE or (granted == READ and access == READ)

    def allows_site(self, site_id: int) -> bool:
        """Whether the key reaches the site, which need not exist."""
        return self.site_ids is None or site_id in self.site_ids

    def require_site(self, site_id: int) -> None:
        """Raises NotPermitted when the key does not reach the site."""
        if not self.allows_site(site_id):
            raise NotPermitted("site_not_allowed", f"The API key does not reach site {site_id}.")


_remembered: dict[str, tuple[bytes, float, Grant]] = {}


def grant_of(token: str) -> Grant:
    """What the token allows now. Raises NotPermitted saying why it allows nothing."""
    # Noted before the query: a change committed meanwhile makes the note, and the entry, outdated.
    number, now = changes.read(), time.monotonic()
    entry = _remembered.get(token)
    if entry and entry[0] == number and 0 <= now - entry[1] < _SECONDS:
        grant = entry[2]
        if grant.ends_at is None or clock.now() < grant.ends_at:
            return grant
    grant = _read(token)
    if len(_remembered) >= _LIMIT:
        _remembered.clear()
    _remembered[token] = (number, now, grant)
    return grant


def announce_change() -> None:
    """Make every process of this machine read keys afresh, once the present transaction is committed."""
    # What is committed must not look failed because a disk is full. Keys are read afresh every second in any case.
    transaction.on_commit(changes.bump, robust=True)


def _read(text: str) -> Grant:
    if not tokens.is_well_formed(text):
        raise NotPermitted("key_unknown", "The API key is not known: it does not have the form of a key.")
    rows = ApiKeyToken.objects.select_related("api_key__administrator")
    token = rows.filter(public_part=tokens.public_part(text)).first()
    if token is None or not token.matches(text):
        raise NotPermitted("key_unknown", "The API key is not known; it may have been reset or deleted.")
    if (state := token.state) is not State.VALID:
        raise NotPermitted(state.value, _UNUSABLE[state])
    return grant_by(token)


_UNUSABLE = {
    State.REVOKED: "The API key has been revoked.",
    State.OWNER_LOCKED: "The administrator to whom the API key belongs is locked.",
    State.EXPIRED: "The API key has expired.",
}


def grant_by(token: ApiKeyToken) -> Grant:
    """What the token allows while its state is valid."""
    key = token.api_key
    sites, scopes = _reachable_sites(key), parse_scopes(key.scopes)
    if sites is not None:
        # Users, administrators and the system belong to no site: an owner who has lost the highest
        # rank must not reach them through a key that is older than that.
        scopes = {scope: access for scope, access in scopes.items() if scope.has_sites}
    ends = [end for end in (key.expires_at, token.valid_until) if end is not None]
    return Grant(
        key_id=key.pk,
        key_name=key.name,
        token_id=token.pk,
        administrator_id=key.administrator_id,
        user_name=key.administrator.user_name,
        scopes=scopes,
        site_ids=sites,
        requests_per_minute=key.request_limit,
        ends_at=min(ends, default=None),
        last_used_at=token.last_used_at,
    )


def _reachable_sites(key: ApiKey) -> frozenset[int] | None:
    own = key.parse_site_ids()
    if key.administrator.is_superuser:
        return own
    # Below the highest rank the owner's sites are the limit, and none listed means none.
    owners: frozenset[int] = key.administrator.reachable_site_ids
    return owners if own is None else own & owners
