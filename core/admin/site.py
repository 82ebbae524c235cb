from collections.abc import Callable
from functools import partial
from typing import Any

from django.contrib import admin
from django.contrib.auth.views import PasswordChangeView
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, URLResolver, path, reverse
from django.utils.functional import SimpleLazyObject
from django.utils.module_loading import import_string
from django.utils.translation import gettext_lazy as _

from core.admin.confirmation import OwnPasswordForm
from core.admin.menu import menu_of
from core.admin.middleware import use_language
from core.admin.start import cards_of, first_steps_of, panels_of, ways_to_add
from core.lib.registrations import ADMIN_PAGES
from core.mail.messages import is_set_up


class CmsAdminSite(admin.AdminSite):
    site_title = site_header = _("Content desk")
    index_title = _("Start")
    site_url = None
    enable_nav_sidebar = False  # Django's; the templates show our own menu

    def get_urls(self) -> list[URLPattern | URLResolver]:
        """Return also the pages that apps list as ADMIN_PAGES in their registrations."""
        own: list[URLPattern | URLResolver] = [
            path(page.path, self.admin_view(import_string(page.view)), name=name)
            for name, page in ADMIN_PAGES.entries.items()
        ]
        return [*own, *super().get_urls()]

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        """Leave out `available_apps`, which only Django's side bar reads: it checks all permissions on all pages."""
        may_enter = self.has_permission(request)
        return {
            "site_title": self.site_title,
            "site_header": self.site_header,
            "has_permission": may_enter,
            "is_popup": False,
            "menu": SimpleLazyObject(lambda: menu_of(self, request) if may_enter else []),
        }

    def password_change(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        request.current_app = self.name
        page = PasswordChangeView.as_view(
            form_class=partial(OwnPasswordForm, request),
            success_url=reverse("admin:password_change_done", current_app=self.name),
            extra_context={**self.each_context(request), **(extra_context or {})},
        )
        return page(request)

    # Requests the code of the second factor after the right password; set by the app of accounts.
    ask_for_code: Callable[[HttpRequest, Any], HttpResponse]

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        page = super().login(request, {"has_mail": is_set_up(), **(extra_context or {})})
        if (administrator := getattr(request, "half_signed_in", None)) is not None:
            return self.ask_for_code(request, administrator)
        if request.user.is_authenticated and isinstance(page, HttpResponseRedirect):
            use_language(page, request.user.language)
        return page

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        steps = first_steps_of(self, request)
        context = {
            "panels": panels_of(self, request),
            "cards": cards_of(self, request),
            "buttons": ways_to_add(self, request),
            "first_steps": steps,
            "steps_done": sum(step.is_done for step in steps),
        }
        return super().index(request, context | (extra_context or {}))
