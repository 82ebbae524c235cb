from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _

from cms_api.admin.attribute_form import label
from cms_api.admin.pages import RecordPages
from cms_api.admin.picker import Picker
from cms_api.admin.ranks import Rank, rank_of
from cms_api.admin.registered import address_of, page_of
from cms_api.lib.errors import LimitReached
from sites.admin.settings_checks import WATERMARK_MEMBERS
from sites.admin.settings_form import SiteForm
from sites.admin.settings_page import groups_of, words_of
from sites.attributes import GROUPS, REGISTRY, site_attributes
from sites.models import Site
from sites.services import change_site
from sites.uploads import missing_font

# Where a site stands among others.
_PLACE = frozenset({"parent", "taxis"})
# Columns, by the names that they have in the audit.
_TOLD = {"siteName": "site_name", "siteDir": "site_dir", "parentId": "parent_id", "taxis": "taxis"}
# Computed members and the methods of the page that show them.
_COMPUTED = {"webUrl": "web_address", "assetsUrl": "assets_address"}


def _fieldset(group: str) -> tuple[Any, Any]:
    members = [_COMPUTED.get(attribute.name, attribute.name) for attribute in REGISTRY if attribute.group == group]
    return _(group), {"fields": members, "classes": ["collapse"]}


@admin.register(Site)
class SiteAdmin(RecordPages):
    """Sites come by the wizard or a command, which make the home channel too, and stay; their settings change here."""

    site_lookup = "pk"
    rights = {"view": _("See"), "change": _("Change attributes")}
    list_display = ["site_name", "web_address", "is_root", "id"]
    change_form_template = "sites/settings.html"
    search_fields = ["site_name", "site_dir"]
    ordering = ["site_name", "id"]
    form = SiteForm
    readonly_fields = ["id", "table_name", "is_root", "web_address", "assets_address"]
    fieldsets = [
        (None, {"fields": ["site_name", "site_dir", "parent", "taxis", "id", "table_name", "is_root"]}),
        *[_fieldset(group) for group in GROUPS],
    ]

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **options: Any
    ) -> HttpResponse:
        site, form = options.get("obj"), context["adminform"].form
        if site is not None and self.has_change_permission(request, site):
            context |= {"groups": groups_of(form, site), "theirs": [_named(name) for name in form.theirs]}
            context["wrong"] = [(form[name].id_for_label, _named(name)) for name in form.errors if name in form.fields]
        # One form changes a site; new ones are made by the wizard.
        context["show_save_and_add_another"] = False
        context["places"] = list(self._places(request, site)) if site is not None else []
        return super().render_change_form(request, context, *args, **options)

    def _places(self, request: HttpRequest, site: Site) -> Iterator[tuple[Any, str]]:
        """What else of the site the administrator may look at, with the addresses."""
        titles = {"contents.Content": _("Contents"), "channels_app.Channel": _("Channels")}
        for name, title in titles.items():
            if page := page_of(self.admin_site, request, name):
                yield title, f"{address_of(page)}?site__id__exact={site.pk}"

    def formfield_for_dbfield(self, db_field: Any, request: Any, **options: Any) -> Any:
        """Django's; the site above is found by typing, without small buttons that lead away from the form."""
        shown = {"widget": Picker(_("Find a site"))} if db_field.name == "parent" else {}
        field = super().formfield_for_dbfield(db_field, request, **(shown | options))
        if db_field.name == "parent" and field is not None:
            widget: Any = field.widget
            widget.can_add_related = widget.can_change_related = widget.can_view_related = False
        return field

    def get_fieldsets(self, request: Any, obj: Any = None) -> Any:
        """All members; without the place among sites, which others than the highest rank may not know or change."""
        if rank_of(request.user) is Rank.HIGHEST:
            return self.fieldsets
        own = [name for name in self.fieldsets[0][1]["fields"] if name not in _PLACE]
        return [(None, {"fields": own}), *self.fieldsets[1:]]

    def get_readonly_fields(self, request: Any, obj: Any = None) -> list[str]:
        """What nobody changes here; the folder is changed by the highest rank only."""
        own = [] if rank_of(request.user) is Rank.HIGHEST else ["site_dir"]
        return [*self.readonly_fields, *own]

    def has_change_permission(self, request: Any, obj: Any = None) -> bool:
        return self.allows(request, "change", obj)

    def save_model(self, request: Any, obj: Site, form: Any, *args: Any) -> None:
        change_site(obj)
        if WATERMARK_MEMBERS.intersection(form.changed_data):
            self._tell_of_font(request, obj)

    def _tell_of_font(self, request: HttpRequest, site: Site) -> None:
        # No reason to refuse: pages may be served by other machines, and fonts be installed later.
        with suppress(LimitReached):
            if font := missing_font(REGISTRY.values(site.settings)):
                message = _("No font “%(name)s” is installed on the server; the watermark is written in another one.")
                self.message_user(request, message % {"name": font}, messages.WARNING)

    def member_label(self, name: str) -> str:
        """The words of the page for a member, as the audit names it."""
        own = name.removeprefix("settings.")
        named = _TOLD.get(name) or (own if own in REGISTRY.by_name else "")
        return str(_named(named)) if named else own

    def member_words(self, name: str, value: Any) -> str:
        """A value as the page tells it."""
        attribute = REGISTRY.by_name.get(name.removeprefix("settings."))
        return words_of(attribute, value) if attribute is not None else super().member_words(name, value)

    @admin.display(description=label(REGISTRY.by_name["webUrl"]))
    def web_address(self, site: Site) -> str:
        """Where the pages of the site are, as the API answers it."""
        return str(site_attributes(site)["webUrl"])

    @admin.display(description=label(REGISTRY.by_name["assetsUrl"]))
    def assets_address(self, site: Site) -> str:
        """Where the uploads of the site are, as the API answers it."""
        return str(site_attributes(site)["assetsUrl"])


def _named(name: str) -> Any:
    """The words for a member, or for a column of sites."""
    if name in REGISTRY.by_name:
        return label(REGISTRY.by_name[name])
    column: Any = Site._meta.get_field(name.removesuffix("_id"))
    return SiteAdmin.labels.get(name) or column.verbose_name
