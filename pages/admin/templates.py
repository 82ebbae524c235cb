"""Templates in the admin: a change of one runs in the browsers of all visitors, so it has a right of its own."""

from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import Case, IntegerField, When
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern
from django.utils.html import format_html
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from channels_app.models import Channel
from channels_app.tree import read_tree
from core.admin.formatting import format_number, moment_markup
from core.admin.numbers import read_number
from core.admin.pages import BaseModelAdmin
from core.admin.views import address_of, page_of, render_page, route
from pages.admin.actions import ACTIONS
from pages.admin.assignment import channels_view, may_assign
from pages.admin.checking import check_view, preview_view, vocabulary_view
from pages.admin.drafts import PageForm
from pages.admin.forms import WITH_PATH, TemplateForm, form_of
from pages.admin.history import history_urls, history_view
from pages.models import Template, TemplateKind
from pages.services import COLUMNS
from pages.template_usage import Uses, uses_of
from sites.admin.choosing import choose_site, seen_site, site_choices
from sites.admin.site_filter import SiteFilter
from sites.models import trashed_site_ids

_BY_KIND = Case(*(When(kind=kind, then=place) for place, kind in enumerate(TemplateKind)), output_field=IntegerField())


@admin.register(Template)
class TemplateAdmin(BaseModelAdmin):
    site_lookup = "site_id"
    admin_actions = ACTIONS
    rights = {"view": _("See"), "change": _("Add, change and delete")}
    list_display = ["name", "kind", "default_mark", "used_by", "site", "changed"]
    list_filter = [SiteFilter, "kind"]
    list_select_related = ["site"]
    search_fields = ["name", "page_path"]
    ordering: ClassVar[Any] = ["site", _BY_KIND, "name"]
    change_list_template = "pages/template_list.html"
    change_form_template = add_form_template = "pages/template.html"
    fieldsets: ClassVar[Any] = [(None, {"fields": ["name", "kind", "site", "page_path", "is_default", "text"]})]

    def get_urls(self) -> list[URLPattern]:
        return [
            route(self, "site/<int:site_id>/check/", "check", check_view),
            route(self, "site/<int:site_id>/preview/", "preview", preview_view),
            route(self, "vocabulary/", "vocabulary", vocabulary_view),
            route(self, "<int:pk>/channels/", "channels", channels_view),
            *history_urls(self),
            *super().get_urls(),
        ]

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        return self.allows(request, "change")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.allows(request, "change", obj)

    def history_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        return history_view(self, request, object_id)

    # ---- the list

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).exclude(site_id__in=trashed_site_ids()).defer("site__settings")

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        shown = super().get_changelist_instance(request)
        shown.result_list = list(shown.result_list.defer("text"))
        found: dict[int, Uses] = {}
        for site_id in {row.site_id for row in shown.result_list}:
            found |= uses_of(read_tree(site_id))
        for row in shown.result_list:
            row.uses = found.get(row.pk, Uses())
        return shown

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        site_id = read_number(request.GET.get(SiteFilter.parameter_name))
        return super().changelist_view(request, {"add_query": f"site={site_id}" if site_id else ""})

    @admin.display(description=_("default"), ordering="is_default")
    def default_mark(self, template: Template) -> str:
        return _now("default") if template.is_default else ""

    @admin.display(description=_("used by"))
    def used_by(self, template: Any) -> str:
        uses: Uses = template.uses
        if template.kind == TemplateKind.INCLUDE:
            count, told = len(uses.templates), _now("Templates: %(count)s")
        elif template.kind in {TemplateKind.CHANNEL, TemplateKind.CONTENT}:
            count, told = len(uses.channels) + len(uses.by_default), _now("Channels: %(count)s")
        else:
            return str(template.page_path)
        address = f"{address_of(self, 'change', template.pk)}#uses"
        words = told % {"count": format_number(count)}
        return format_html('<a href="{}">{}</a>', address, words) if count else _now("not used")

    @admin.display(description=_("changed"), ordering="changed_at")
    def changed(self, template: Template) -> str:
        return moment_markup(template.changed_at)

    # ---- the form

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        if self.has_add_permission(request) and not request.GET.get("site"):
            choices = site_choices(request, self.places(request.user, "change"))
            return choose_site(self, request, _("Add template"), "site", choices)
        if self.has_add_permission(request) and request.GET.get("kind") not in TemplateKind.values:
            context = {"title": _("Add template"), "site": self._new_site(request), "kinds": TemplateKind.choices}
            return render_page(self, request, "pages/choose_kind.html", context)
        return super().add_view(request, form_url, extra_context)

    def _new_site(self, request: HttpRequest) -> Any:
        return seen_site(request, read_number(request.GET.get("site")) or 0, self.places(request.user, "change"))

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        return {}  # no values from the address

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        if obj is not None and not self.has_change_permission(request, obj):
            return super().get_fieldsets(request, obj)
        kind = obj.kind if obj else request.GET.get("kind")
        path = ["page_path"] if kind in WITH_PATH else []
        return [(None, {"fields": ["name", *path, "text", "seen_version"]})]

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **options: Any) -> Any:
        if obj is not None and not self.has_change_permission(request, obj):
            return super().get_form(request, obj, change, **options)
        site_id = obj.site_id if obj else self._new_site(request).pk
        kind = obj.kind if obj else request.GET.get("kind", "")
        query = f"template={obj.pk}" if obj else f"kind={kind}"
        addresses = {name: f"{address_of(self, name, site_id)}?{query}" for name in ("check", "preview")}
        addresses["vocabulary"] = address_of(self, "vocabulary")
        return super().get_form(request, obj, change, form=form_of(obj, kind, site_id, addresses), **options)

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **options: Any
    ) -> HttpResponse:
        template, form = options.get("obj"), context["adminform"].form
        site = template.site if template else self._new_site(request)
        kind = TemplateKind(template.kind if template else request.GET["kind"])
        context |= {"site": site, "kind": kind, "title": template or _("Add template"), "subtitle": None}
        context |= {"show_save_and_add_another": False, "uses": self._uses(template)}
        channels: Any = page_of(self.admin_site, request, Channel)
        context["may_assign"] = bool(
            template and kind in COLUMNS.values() and channels and may_assign(channels, request, template)
        )
        if isinstance(form, TemplateForm):
            stored = Template.objects.filter(pk=template.pk).first() if template else None
            if stored and not form.is_bound:
                form.initial["seen_version"] = stored.version
            context |= {"stored_version": stored.version if stored else 0, "conflict": form.is_stale}
            context |= {"last_change": stored.changes.order_by("-version").first()} if stored and form.is_stale else {}
            context |= {"page_form": PageForm(read_tree(site.pk), kind, template)}
            context |= {"preview_address": form.fields["text"].widget.addresses["preview"]}
        return super().render_change_form(request, context, *args, **options)

    def _uses(self, template: Template | None) -> Any:
        return uses_of(read_tree(template.site_id)).get(template.pk) if template else None

    def save_model(self, *args: Any) -> None:
        """Save nothing: the form has acted."""

    save_related = save_model  # type: ignore[assignment]

    def response_post_save_change(self, request: HttpRequest, obj: Any) -> HttpResponseRedirect:
        return HttpResponseRedirect(f"{address_of(self)}?site__id__exact={obj.site_id}")

    response_post_save_add = response_post_save_change
