"""Deletes sites: first into the trash, from which they come back or are deleted permanently."""

from itertools import islice
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.core.exceptions import PermissionDenied
from django.db.models import CharField, Count, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Cast, Coalesce
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, reverse
from django.utils.crypto import get_random_string
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from channels_app.admin.channels import count_words
from channels_app.models import Channel
from contents.admin.trash.pages import kinds_of_trash
from contents.lists.channel_stats import count_listed
from contents.models import Content
from contents.services.site_trash import restore_site, trash_site, why_not_trashed
from core.admin.error_messages import tell
from core.admin.formatting import moment_markup
from core.admin.pages import BaseModelAdmin
from core.admin.views import address_of, render_page, route, seen_record
from core.archive import media
from core.audit.models import AuditEntry
from core.jobs import enqueueing
from core.lib.errors import ServiceError
from sites.models import Site, TrashedSite, find_folder_owner
from transfer.placement import place_problems
from transfer.site_copy import free_folder
from transfer.site_purge import PURGE_SITE
from transfer.whole_site.tables import folder_of

_COUNTED = 1000  # files, which a storage may list slowly


class NameForm(forms.Form):
    """Requires the name of the site, to prevent the deletion of another one by mistake."""

    site_name = forms.CharField(label=_("Name of the site"), widget=forms.TextInput(attrs={"autocomplete": "off"}))

    def __init__(self, site: Site, data: Any) -> None:
        super().__init__(data, label_suffix="")
        self._name = site.site_name
        self.fields["site_name"].help_text = gettext("Type “%(name)s” to confirm.") % {"name": site.site_name}

    def clean_site_name(self) -> str:
        typed: str = self.cleaned_data["site_name"]
        if typed != self._name.strip():
            raise forms.ValidationError(gettext("This is not the name of the site."))
        return typed


class FolderForm(forms.Form):
    site_dir = forms.CharField(label=_("Folder"), max_length=255)

    def __init__(self, site: Site, data: Any, initial: Any) -> None:
        super().__init__(data, initial=initial, label_suffix="")
        self._parent_id = site.parent_id

    def clean_site_dir(self) -> str:
        folder: str = self.cleaned_data["site_dir"]
        if problem := place_problems(folder, False, self._parent_id).get("site_dir"):
            raise forms.ValidationError(str(problem))
        return folder


def trash_view(page: Any, request: HttpRequest, pk: int) -> HttpResponse:
    """Show what leaves with the site, and ask for its name; a POST moves it to the trash."""
    site = seen_record(page, request, pk)
    if not page.has_add_permission(request):
        raise PermissionDenied
    refusal = why_not_trashed(site)
    form = NameForm(site, request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        try:
            trash_site(pk)
        except ServiceError as refused:
            messages.error(request, tell(refused))
        else:
            told = gettext("The site “%(name)s” is in the trash.") % {"name": site}
            address = reverse("admin:cms_sites_trashedsite_changelist")
            link = format_html('<a href="{}">{}</a>', address, gettext("Sites in the trash"))
            messages.success(request, format_html("{} {}", told, link))
        return HttpResponseRedirect(address_of(page))
    context = {
        "title": gettext("Delete the site “%(name)s”") % {"name": site},
        "refusal": tell(refusal) if refusal else "",
        "form": form,
        "figures": _figures(site),
        "days": settings.CMS_TRASH_DAYS,
    }
    return render_page(page, request, "transfer/site_delete.html", context)


def _figures(site: Site) -> list[str]:
    """Return what leaves with the site, counted: `["12 channels", "3 templates", …]`."""
    files = sum(1 for _name in islice(media.names(folder_of(site.pk)), _COUNTED + 1))
    channels, contents = site.channels.filter(trashed_at=None).count(), count_listed([site.pk]).get(site.pk, 0)
    templates, people, keys = site.templates.count(), _people(site.pk), _keys(site.pk)
    more = gettext("more than %(count)d files") % {"count": _COUNTED}
    return [
        ngettext("%(count)d channel", "%(count)d channels", channels) % {"count": channels},
        ngettext("%(count)d content item", "%(count)d content items", contents) % {"count": contents},
        ngettext("%(count)d template", "%(count)d templates", templates) % {"count": templates},
        more if files > _COUNTED else ngettext("%(count)d file", "%(count)d files", files) % {"count": files},
        ngettext("%(count)d person with rights there", "%(count)d people with rights there", people)
        % {"count": people},
        ngettext("%(count)d API key that names the site", "%(count)d API keys that name the site", keys)
        % {"count": keys},
    ]


def _people(site_id: int) -> int:
    """Count administrators whose list of sites, or one of whose groups, names the site."""
    people: Any = get_user_model()._default_manager
    places: Any = Group._meta.get_field("places").related_model  # of an app that this one must not import
    groups = places._default_manager.filter(site_id=site_id).values("group_id")
    named = people.filter(Q(site_id_collection__contains=str(site_id)) | Q(groups__in=groups)).distinct()
    members = set(people.filter(groups__in=groups).values_list("pk", flat=True))
    return sum(each.pk in members or site_id in each.reachable_site_ids for each in named)


def _keys(site_id: int) -> int:
    keys: Any = get_user_model()._meta.get_field("api_keys").related_model
    found = keys._default_manager.filter(site_ids__contains=str(site_id))
    return sum(site_id in (key.parse_site_ids() or ()) for key in found)


@admin.register(TrashedSite)
class TrashedSiteAdmin(BaseModelAdmin):
    """Sites in the trash, for those who may delete them."""

    by_groups = False
    rights = {}
    actions = None
    change_list_template = "contents/trash/list.html"
    list_display = ["site_name", "site_dir", "held", "deleted", "deleted_by", "restore", "purge"]
    list_display_links = None
    search_fields = ["site_name", "site_dir"]
    ordering = ["-trashed_at", "-id"]
    fieldsets = [(None, {"fields": ["site_name", "site_dir", "held", "trashed_at", "deleted_by"]})]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        entries = AuditEntry.objects.filter(
            action="site.trashed", object_type=Site._meta.label_lower, object_id=Cast(OuterRef("pk"), CharField())
        )
        found: QuerySet[Any] = super().get_queryset(request)
        counts = {"channel_count": _count_with(Channel), "content_count": _count_with(Content)}
        last = entries.order_by("-pk").values("actor_name")[:1]
        shown: QuerySet[Any] = found.annotate(**counts, actor=Subquery(last)).defer("settings")
        return shown

    def get_urls(self) -> list[URLPattern]:
        return [
            route(self, "<int:pk>/restore/", "restore", restore_view),
            route(self, "<int:pk>/purge/", "purge", purge_view),
            *super().get_urls(),
        ]

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        context = {"kinds": kinds_of_trash(self, request), "is_one_site": True}
        return super().changelist_view(request, context | (extra_context or {}))

    @admin.display(description=_("restored with it"))
    def held(self, site: Any) -> str:
        return count_words(site.channel_count, site.content_count)

    @admin.display(description=_("deleted"), ordering="trashed_at")
    def deleted(self, site: Any) -> SafeString:
        return moment_markup(site.trashed_at)

    @admin.display(description=_("deleted by"))
    def deleted_by(self, site: Any) -> str:
        return site.actor or "–"

    @admin.display(description=_("Restore"))
    def restore(self, site: Site) -> str:
        if site.purge_began_at is not None:
            return gettext("Permanent deletion has begun.")
        return _link(self, "restore", site, gettext("Restore"), gettext("Restore the site “%(name)s”"))

    @admin.display(description=_("Delete permanently"))
    def purge(self, site: Site) -> str:
        named = gettext("Permanently delete the site “%(name)s”")
        return _link(self, "purge", site, gettext("Delete permanently"), named)


def _count_with(model: Any) -> Coalesce:
    """Return an expression for the number of records trashed with the site."""
    rows = model.objects.filter(site_id=OuterRef("pk"), trashed_with_id=OuterRef("pk"), trashed_at__isnull=False)
    return Coalesce(Subquery(rows.order_by().values("site_id").annotate(number=Count("pk")).values("number")), 0)


def _link(page: Any, view: str, site: Site, label: str, named: str) -> str:
    link = '<a href="{}" data-dialog="form.wizard" aria-label="{}">{}</a>'
    return format_html(link, address_of(page, view, site.pk), named % {"name": site}, label)


def restore_view(page: Any, request: HttpRequest, pk: int) -> HttpResponse:
    """Restore the site; ask for another folder if a new site has its own."""
    site = seen_record(page, request, pk)
    form = None
    if find_folder_owner(site.site_dir, but=pk):
        sent = request.POST if "site_dir" in request.POST else None
        form = FolderForm(site, sent, initial={"site_dir": free_folder(site)})
    if request.method == "POST" and (form is None or (form.is_bound and form.is_valid())):
        try:
            restore_site(pk, form.cleaned_data["site_dir"] if form else None)
        except ServiceError as refusal:
            messages.error(request, tell(refusal))
            return HttpResponseRedirect(address_of(page))
        messages.success(request, gettext("The site “%(name)s” is restored.") % {"name": site})
        return HttpResponseRedirect(reverse("admin:cms_sites_site_changelist"))
    context = {"title": gettext("Restore the site “%(name)s”") % {"name": site}, "form": form, "held": page.held(site)}
    return render_page(page, request, "transfer/site_restore.html", context)


def purge_view(page: Any, request: HttpRequest, pk: int) -> HttpResponse:
    """Ask for the name of the site; a POST starts the job."""
    site = seen_record(page, request, pk)
    form = NameForm(site, request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        asked = {"site_id": pk, "site_name": site.site_name}
        asked |= {"contents": Content.objects.filter(site_id=pk).count()}
        token = request.POST.get("token", "")[:64] or get_random_string(32)
        try:
            return HttpResponseRedirect(enqueueing.enqueue(PURGE_SITE.name, asked, token=token).get_absolute_url())
        except ServiceError as refusal:
            messages.error(request, tell(refusal))
    context = {
        "title": gettext("Permanently delete the site “%(name)s”") % {"name": site},
        "form": form,
        "held": page.held(site),
        "token": get_random_string(32),
    }
    return render_page(page, request, "transfer/site_purge.html", context)
