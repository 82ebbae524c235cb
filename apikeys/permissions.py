from typing import TYPE_CHECKING, cast

from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from apikeys.grants import Grant
from apikeys.scopes import READ, WRITE, Scope
from core.lib.errors import NotPermitted

if TYPE_CHECKING:  # the settings make rest_framework.views import this module
    from core.rest.views import ApiView


class HasScope(BasePermission):
    """Requires the view's scope and the site in its path; a view without a scope is closed."""

    def has_permission(self, request: Request, view: "ApiView") -> bool:  # type: ignore[override]
        """Return True or raise NotPermitted: the API has no 403."""
        scope = Scope(view.required_scope)
        access = READ if view.is_read(request) else WRITE
        grant = cast(Grant, request.auth)
        if not grant.allows(scope, access):
            needed = f"{scope.value}:{access}"
            raise NotPermitted("scope_missing", f"The API key does not have the scope {needed}.", scope=needed)
        if "site_id" in view.kwargs:
            grant.require_site(view.kwargs["site_id"])
        return True
