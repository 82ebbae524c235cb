"""What a key may do, by the very rules by which the API decides (apikeys.grants, apikeys.permissions)."""

from collections.abc import Iterable
from typing import Any

from django.apps import apps
from django.db.models import QuerySet
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apikeys.grants import Grant, grant_by
from apikeys.models import ApiKey, ApiKeyToken, State
from apikeys.scopes import READ, WRITE, Scope
from cms_api.rest.operations import Operation, operations


def usable_grant(key: ApiKey) -> Grant | None:
    """What the key's current token allows now; None when it is refused everywhere."""
    token = key.tokens.filter(slot=ApiKeyToken.Slot.CURRENT).select_related("api_key__administrator").first()
    return grant_by(token) if token is not None and token.state is State.VALID else None


def may_call(grant: Grant, operation: Operation, site_id: int | None = None) -> bool:
    """Whether the API lets the key call the operation, on that site or else on any."""
    if not operation.scope:
        return True
    scope = Scope(operation.scope)
    if not grant.allows(scope, READ if operation.is_read else WRITE):
        return False
    if not scope.has_sites:
        return True
    return grant.site_ids != frozenset() if site_id is None else grant.allows_site(site_id)


def allowed_operations(grant: Grant) -> list[Operation]:
    """The operations that need a key and that this one may call, by scope."""
    order = [scope.value for scope in Scope]
    allowed = [operation for operation in operations() if operation.needs_key and may_call(grant, operation)]
    return sorted(allowed, key=lambda operation: order.index(operation.scope) if operation.scope else -1)


def with_access_token(grant: Grant) -> list[Operation]:
    """Further operations that the key may call together with the access token of the user in their path."""
    return [one for one in operations() if one.owner_is_enough and not may_call(grant, one)]


def reasons(key: ApiKey) -> list[str | Promise]:
    """Why the key may do nothing, or less than its scopes say; empty when it may do what they say."""
    if key.state is not State.VALID:
        return [_REASONS[key.state]]
    grant = usable_grant(key)
    if grant is None:
        return [_("The key has no token; reset it.")]
    found: list[str | Promise] = []
    if not key.scopes:
        found.append(_("The key has no scope."))
    if grant.site_ids == frozenset():
        found.append(_("The key reaches no site: its owner looks after none of those to which it is limited."))
    if grant.site_ids is not None and not key.administrator.is_superuser and _lost_scopes(key):
        found.append(_("The owner is not of the highest rank, so Administrators, Users and System are out of reach."))
    return found


_REASONS: dict[State, Promise] = {
    State.REVOKED: _("The key has been revoked. Every request with it is refused."),
    State.OWNER_LOCKED: _("The owner is locked. Every request with the key is refused until the owner is unlocked."),
    State.EXPIRED: _("The key has expired. Every request with it is refused until its expiry is moved."),
}


def _lost_scopes(key: ApiKey) -> bool:
    return any(not scope.has_sites for scope in key.parse_scopes())


def sites() -> QuerySet[Any]:
    """Every site, by number. By name, since this app imports no other one."""
    return apps.get_model("cms_sites", "Site")._default_manager.order_by("pk")


def site_names(site_ids: Iterable[int]) -> list[str]:
    """The names of sites with their numbers; a site that is no more is told as such."""
    names = dict(sites().filter(pk__in=site_ids).values_list("pk", "site_name"))
    return [
        f"{names[site_id]} ({site_id})" if site_id in names else str(_("deleted site %d")) % site_id
        for site_id in sorted(site_ids)
    ]
