from contextlib import suppress
from typing import Any

from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext

from core.admin.attribute_form import label, sentence
from core.admin.pages import BaseModelAdmin
from core.admin.picker import Picker
from core.admin.ranks import Rank, rank_of
from core.admin.views import address_of, page_of
from core.lib.errors import LimitReached
from core.rest.attributes import NEVER, Attribute, AttributeKind
from sites.admin.address_change import confirmation_context
from sites.admin.settings_form import WATERMARK_MEMBERS, SiteForm
from sites.attributes import ACTED_ON, GROUPS, REGISTRY, site_attributes
from sites.models import Site
from sites.services import change_site
from sites.watermark_checks import missing_font

_PLACE = frozenset({"parent", "taxis"})
# Names in the audit → columns.
_TOLD = {"siteName": "site_name", "siteDir": "site_dir", "parentId": "parent_id", "taxis": "taxis"}
# Computed members → methods of the page that show them.
_COMPUTED = {"webUrl": "web_address", "assetsUrl": "assets_address"}

# Members without effect while a switch is off.
_SWITCHES = {
    "checkContentLevel": "isCheckContentLevel",
    "isCountHitsByDay": "isCountHits",
    "autoPageWordNum": "isAutoPageInTextEditor",
    "separatedWebUrl": "isSeparatedWeb",
    "separatedAssetsUrl": "isSeparatedAssets",
    "createStaticContentAddDate": "isCreateStaticContentByAddDate",
    **{name: "isWaterMark" for name in REGISTRY.by_name if name.startswith("waterMark") or name == "isImageWaterMark"},
}


def _fieldset(group: str) -> tuple[Any, Any]:
    members = [_COMPUTED.get(attribute.name, attribute.name) for attribute in REGISTRY if attribute.group == group]
    return _(group), {"fields": members, "classes": ["collapse"]}


@admin.register(Site)
class SiteAdmin(BaseModelAdmin):
    """Changes sites; the wizard or a command creates them with their home channels, and nothing deletes them."""

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
            context |= {"groups": _groups_of(form, site), "theirs": [_named(name) for name in form.theirs]}
            context["wrong"] = [(form[name].id_for_label, _named(name)) for name in form.errors if name in form.fields]
            context |= confirmation_context(request, form)
        # The form changes one site; the wizard creates new ones.
        context["show_save_and_add_another"] = False
        titles = {"contents.Content": _("Contents"), "channels_app.Channel": _("Channels")}
        pages = {title: page_of(self.admin_site, request, name) for name, title in titles.items()}
        context["places"] = [
            (title, f"{address_of(page)}?site__id__exact={site.pk}") for title, page in pages.items() if site and page
        ]
        return super().render_change_form(request, context, *args, **options)

    def formfield_for_dbfield(self, db_field: Any, request: Any, **options: Any) -> Any:
        shown = {"widget": Picker(_("Find a site"))} if db_field.name == "parent" else {}
        field = super().formfield_for_dbfield(db_field, request, **(shown | options))
        if db_field.name == "parent" and field is not None:
            widget: Any = field.widget
            widget.can_add_related = widget.can_change_related = widget.can_view_related = False
        return field

    def get_fieldsets(self, request: Any, obj: Any = None) -> Any:
        # Only the highest rank may see or change the place among sites.
        if rank_of(request.user) is Rank.HIGHEST:
            return self.fieldsets
        own = [name for name in self.fieldsets[0][1]["fields"] if name not in _PLACE]
        return [(None, {"fields": own}), *self.fieldsets[1:]]

    def get_readonly_fields(self, request: Any, obj: Any = None) -> list[str]:
        # Only the highest rank may change the folder.
        own = [] if rank_of(request.user) is Rank.HIGHEST else ["site_dir"]
        return [*self.readonly_fields, *own]

    def has_change_permission(self, request: Any, obj: Any = None) -> bool:
        return self.allows(request, "change", obj)

    def save_model(self, request: Any, obj: Site, form: Any, *args: Any) -> None:
        change_site(obj)
        if not WATERMARK_MEMBERS.intersection(form.changed_data):
            return
        # Warn only: other machines may serve the pages, and fonts may be installed later.
        with suppress(LimitReached):
            if font := missing_font(REGISTRY.values(obj.settings)):
                message = _("The font “%(name)s” is not installed on the server; the watermark uses another font.")
                self.message_user(request, message % {"name": font}, messages.WARNING)

    def member_label(self, name: str) -> str:
        own = name.removeprefix("settings.")
        named = _TOLD.get(name) or (own if own in REGISTRY.by_name else "")
        return str(_named(named)) if named else own

    def member_words(self, name: str, value: Any) -> str:
        attribute = REGISTRY.by_name.get(name.removeprefix("settings."))
        return _words_of(attribute, value) if attribute is not None else super().member_words(name, value)

    @admin.display(description=label(REGISTRY.by_name["webUrl"]))
    def web_address(self, site: Site) -> str:
        return str(site_attributes(site)["webUrl"])

    @admin.display(description=label(REGISTRY.by_name["assetsUrl"]))
    def assets_address(self, site: Site) -> str:
        return str(site_attributes(site)["assetsUrl"])


def _named(name: str) -> Any:
    if name in REGISTRY.by_name:
        return label(REGISTRY.by_name[name])
    column: Any = Site._meta.get_field(name.removesuffix("_id"))
    return SiteAdmin.labels.get(name) or column.verbose_name


def _groups_of(form: Any, site: Site) -> list[dict[str, Any]]:
    """Return the members in groups, each with its default and its switch, except members that only clients use."""
    computed, stored = site_attributes(site), REGISTRY.values(site.settings)
    groups: dict[str, dict[str, Any]] = {
        name: {"name": f"group-{number}", "title": _(name), "settings": [], "kept": []}
        for number, name in enumerate(GROUPS, start=1)
    }
    for attribute in REGISTRY:
        field = None if attribute.is_computed else form[attribute.name]
        has_form = attribute.kind == AttributeKind.INTEGER or (
            attribute.form is not None and attribute.kind == AttributeKind.TEXT
        )
        groups[attribute.group]["settings" if attribute.name in ACTED_ON else "kept"].append(
            {
                "name": attribute.name,
                "label": _now(attribute.label),
                "help_text": _now(attribute.help_text) if attribute.help_text else "",
                "field": field,
                "is_switch": field is not None and field.widget_type == "checkbox",
                "value": str(computed.get(attribute.name, "")),  # of a computed member, which has no field
                "default": _as_typed(attribute, attribute.default),  # in the form of the field
                "default_words": _words_of(attribute, attribute.default),
                "limit": sentence(attribute) if has_form and not attribute.choices and field else "",
                "switch": _SWITCHES.get(attribute.name, ""),
                "is_default": stored[attribute.name] == attribute.default,
            }
        )
    return list(groups.values())


def _as_typed(attribute: Attribute, value: Any) -> str:
    if attribute.kind == AttributeKind.BOOLEAN:
        return "on" if value else ""
    return "" if value == NEVER else str(value)


def _words_of(attribute: Attribute, value: Any) -> str:
    if attribute.kind == AttributeKind.BOOLEAN:
        return _now("on") if value else _now("off")
    named = dict(attribute.choices).get(value, "")
    return (pgettext("setting", named) if named else _as_typed(attribute, value)) or _now("(empty)")
