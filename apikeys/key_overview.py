"""Lists the operations that a key may use, by the same rules as the API (apikeys.grants, apikeys.permissions)."""

from collections.abc import Iterable

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.views.decorators.debug import sensitive_variables

from apikeys.authentication import HEADER
from apikeys.grants import Grant, grant_by
from apikeys.models import ApiKey, ApiKeyToken, KeyState, Token
from apikeys.scopes import READ, WRITE, Scope
from core.rest.operations import PREFIX, Operation, operations
from sites.models import Site

_REASONS: dict[KeyState, Promise] = {
    KeyState.REVOKED: _("The key has been revoked. Every request with it is rejected."),
    KeyState.OWNER_LOCKED: _(
        "The owner is locked. Every request with the key is rejected until the owner is unlocked."
    ),
    KeyState.EXPIRED: _("The key has expired. Every request with it is rejected until you set a later expiry date."),
}
# Read-only operations, the most instructive first: method, path, further arguments. Any key may call the last one, even
# a key for restarts only. Double quotes mean the same in every shell.
_EXAMPLES = [
    ("POST", "/contents", '-d "{{\\"siteId\\": {site}}}"'),
    ("GET", "/channels/{siteId}", ""),
    ("GET", "/stl/sites", ""),
    ("GET", "/stl/sqlContents", '-G --data-urlencode "queryString=SELECT 1 AS One"'),
    ("GET", "/users", "-G -d top=5"),
    ("GET", "/administrators", "-G -d top=5"),
    ("POST", "/users/actions/logout", "-X POST"),
]


def usable_grant(key: ApiKey) -> Grant | None:
    """Return the current grant of the key's token, or else of one from SiteServer; None if it is refused everywhere."""
    current = key.tokens.filter(slot=ApiKeyToken.Slot.CURRENT).select_related("api_key__administrator").first()
    token: Token | None = current or key.legacy_tokens.accepted().select_related("api_key__administrator").first()
    return grant_by(token) if token is not None and token.state is KeyState.VALID else None


def may_call(grant: Grant, operation: Operation, site_id: int | None = None) -> bool:
    if operation.any_scope:
        has_scope = any(grant.allows(Scope(scope), READ) for scope in operation.any_scope)
        return has_scope and (site_id is None or grant.allows_site(site_id))
    if not operation.scope:
        return True
    scope = Scope(operation.scope)
    if not grant.allows(scope, READ if operation.is_read else WRITE):
        return False
    if not scope.has_sites:
        return True
    return grant.site_ids != frozenset() if site_id is None else grant.allows_site(site_id)


def allowed_operations(grant: Grant) -> list[Operation]:
    order = [scope.value for scope in Scope]
    allowed = [operation for operation in operations() if operation.needs_key and may_call(grant, operation)]
    return sorted(allowed, key=lambda operation: order.index(operation.scope) if operation.scope else -1)


def with_access_token(grant: Grant) -> list[Operation]:
    """Return the further operations that the key may call with the access token of the user in their path."""
    return [one for one in operations() if one.owner_is_enough and not may_call(grant, one)]


def reasons(key: ApiKey) -> list[str | Promise]:
    if key.state is not KeyState.VALID:
        return [_REASONS[key.state]]
    grant = usable_grant(key)
    if grant is None:
        return [_("The key has no token; reset it.")]
    found: list[str | Promise] = []
    if not key.scopes:
        found.append(_("The key has no scope."))
    if grant.site_ids == frozenset():
        found.append(_("The key cannot access any site: its owner manages none of the sites it is limited to."))
    loses_scopes = any(not scope.has_sites for scope in key.parse_scopes())
    if grant.site_ids is not None and not key.administrator.is_superuser and loses_scopes:
        found.append(_("The owner is not a superuser, so Administrators, Users and System are out of reach."))
    return found


@sensitive_variables("token", "header")
def curl_line(grant: Grant, token: str, address: str) -> str:
    """Return a command that the key may call and that works as printed; `address` is the service's, without a path."""
    header = f'-H "{HEADER}: {token}"'
    known = {(operation.method, operation.path): operation for operation in operations()}
    reachable = Site.objects.all() if grant.site_ids is None else Site.objects.filter(pk__in=grant.site_ids)
    site: int | None = reachable.order_by("pk").values_list("pk", flat=True).first()
    for method, path, arguments in _EXAMPLES:
        operation = known.get((method, path))
        needs_site = "{site" in path + arguments
        if operation is None or (needs_site and site is None) or not may_call(grant, operation):
            continue
        place = path.replace("{siteId}", str(site))
        parts = ["curl", header, arguments.format(site=site), f'"{address}{PREFIX}{place}"']
        return " ".join(filter(None, parts))
    raise AssertionError("The last example must work with any key.")


def site_names(site_ids: Iterable[int]) -> list[str]:
    names = dict(Site.objects.filter(pk__in=site_ids).values_list("pk", "site_name"))
    return [
        f"{names[site_id]} ({site_id})" if site_id in names else str(_("deleted site %d")) % site_id
        for site_id in sorted(site_ids)
    ]
