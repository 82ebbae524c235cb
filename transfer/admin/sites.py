"""Admin pages of sites with counts of contents, the wizard and site templates."""

from functools import wraps
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Count, OuterRef, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from channels_app.models import Channel
from contents.flags import ListKind
from contents.models import ListedCount
from core.admin.formatting import format_number
from core.admin.ranks import Rank, rank_of
from core.admin.views import address_of, route
from sites.admin.settings_form import SiteForm
from sites.admin.sites import SiteAdmin
from sites.models import Site, TrashedSite
from transfer.admin.address_changes import change_of_site
from transfer.admin.site_copy import copy_view
from transfer.admin.site_export import export_view, exported_view
from transfer.admin.site_trash import trash_view
from transfer.admin.template_page import TemplatePage
from transfer.admin.wizard import Wizard

admin.site.unregister(Site)


@admin.register(Site)
class SiteWizardAdmin(SiteAdmin):
    form = type("SiteForm", (SiteForm,), {"find_address_change": staticmethod(change_of_site)})
    list_display = ["site_name", "address", "channels", "contents", "is_root", "id"]
    change_list_template = "transfer/site_list.html"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        counts = ListedCount.objects.filter(kind=ListKind.CHANNEL, owner_id=OuterRef("pk")).order_by()
        contents = counts.values("owner_id").annotate(number=Sum("contents")).values("number")
        channels = Channel.objects.filter(site_id=OuterRef("pk"), trashed_at=None).order_by()
        numbers = {
            "content_count": Coalesce(Subquery(contents), 0),
            "channel_count": Subquery(channels.values("site_id").annotate(number=Count("pk")).values("number")),
        }
        sites: QuerySet[Any] = super().get_queryset(request)
        numbered: QuerySet[Any] = sites.annotate(**numbers)
        return numbered

    def get_urls(self) -> list[URLPattern]:
        wizard, template = Wizard(self), TemplatePage(self)
        views = (
            ("add/", wizard.page, "add"),
            ("add/folder/", wizard.folder, "folder"),
            ("template/", template.page, "template"),
        )
        protect = self.admin_site.admin_view
        own = [
            path(route, protect(self._for_highest(view)), name=f"cms_sites_site_{name}") for route, view, name in views
        ]
        own += [
            route(self, "<int:pk>/copy/", "copy", copy_view),
            route(self, "<int:pk>/export/", "export", export_view),
            route(self, "exported/<int:pk>/", "exported", exported_view),
            route(self, "<int:pk>/trash/", "trash", trash_view),
        ]
        return [*own, *super().get_urls()]

    def get_list_display(self, request: HttpRequest) -> Any:
        own = ["copy", "export", "trash"] if self.has_add_permission(request) else []
        return [*self.list_display, *own]

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        return rank_of(request.user) is Rank.HIGHEST

    @admin.display(description=_("address"))
    def address(self, site: Any) -> str:
        return self.web_address(site)

    @admin.display(description=_("channels"))
    def channels(self, site: Any) -> str:
        return _counted("channels_app_channel", site.pk, site.channel_count)

    @admin.display(description=_("contents"))
    def contents(self, site: Any) -> str:
        return _counted("contents_content", site.pk, site.content_count)

    @admin.display(description=_("Copy"))
    def copy(self, site: Any) -> str:
        named = gettext("Copy the site “%(name)s”") % {"name": site}
        address = address_of(self, "copy", site.pk)
        link = '<a href="{}" data-dialog="form.wizard" aria-label="{}">{}</a>'
        return format_html(link, address, named, gettext("Copy"))

    @admin.display(description=_("Export"))
    def export(self, site: Any) -> str:
        named = gettext("Export the site “%(name)s”") % {"name": site}
        link = '<a href="{}" data-dialog="form.wizard" aria-label="{}">{}</a>'
        return format_html(link, address_of(self, "export", site.pk), named, gettext("Export"))

    @admin.display(description=_("Delete"))
    def trash(self, site: Any) -> str:
        named = gettext("Delete the site “%(name)s”") % {"name": site}
        link = '<a href="{}" data-dialog="form.wizard" aria-label="{}">{}</a>'
        return format_html(link, address_of(self, "trash", site.pk), named, gettext("Delete"))

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        has_trash = self.has_add_permission(request) and TrashedSite.objects.exists()
        return super().changelist_view(request, {"has_trash": has_trash} | (extra_context or {}))

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **options: Any
    ) -> HttpResponse:
        if (site := options.get("obj")) is not None and self.has_add_permission(request):
            context["trash_address"] = address_of(self, "trash", site.pk)
        return super().render_change_form(request, context, *args, **options)

    def _for_highest(self, view: Any) -> Any:
        @wraps(view)
        def guarded(request: HttpRequest) -> HttpResponse:
            if not self.has_add_permission(request):
                raise PermissionDenied
            return view(request)  # type: ignore[no-any-return]

        return guarded


def _counted(page: str, site_id: int, number: int) -> str:
    address = f"{reverse(f'admin:{page}_changelist')}?site__id__exact={site_id}"
    return format_html('<a href="{}">{}</a>', address, format_number(number))
