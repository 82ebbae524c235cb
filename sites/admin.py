from typing import Any

from django import forms
from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from cms_api.back_end.pages import RecordPages
from cms_api.back_end.ranks import Rank, rank_of
from cms_api.rest.attribute_form import form_fields, initial_values, label, stored_values
from sites.attributes import GROUPS, REGISTRY, site_attributes
from sites.models import Site
from sites.services import change_site

# A host of its own is switched on by the one member and named by the other.
SEPARATED = {"isSeparatedWeb": "separatedWebUrl", "isSeparatedAssets": "separatedAssetsUrl"}


class SettingsForm(forms.ModelForm):  # type: ignore[type-arg]
    """A site with one field for each member of its settings; entries that are no members stay."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial = initial_values(REGISTRY, self.instance.settings) | dict(self.initial)

    def clean(self) -> dict[str, Any]:
        """The values; the site gets its settings from them, without defaults."""
        cleaned = super().clean() or self.cleaned_data
        for switch, address in SEPARATED.items():
            # Without a host every address of the site would begin at the top of the service's own.
            if cleaned.get(switch) and not cleaned.get(address) and address not in self.errors:
                told = {"address": address, "switch": switch}
                self.add_error(address, _("%(address)s is needed while %(switch)s is on.") % told)
        if not self.errors:
            self.instance.settings = REGISTRY.custom(self.instance.settings) | stored_values(REGISTRY, cleaned)
        return cleaned


# The fields are declared and not added to each form, so that the pages below may name them.
SiteForm = type("SiteForm", (SettingsForm,), form_fields(REGISTRY))


# Where a site stands among others.
_PLACE = frozenset({"parent", "taxis"})
# Computed members and the methods of the page that show them.
_COMPUTED = {"webUrl": "web_address", "assetsUrl": "assets_address"}


def _fieldset(group: str) -> tuple[Any, Any]:
    members = [_COMPUTED.get(attribute.name, attribute.name) for attribute in REGISTRY if attribute.group == group]
    return _(group), {"fields": members, "classes": ["collapse"]}


@admin.register(Site)
class SiteAdmin(RecordPages):
    """Sites come by commands, which make the home channel too, and stay; their settings change here."""

    site_lookup = "pk"
    rights = {"view": _("See"), "change": _("Change attributes")}
    list_display = ["site_name", "id", "site_dir", "is_root", "table_name", "web_url"]
    search_fields = ["site_name", "site_dir"]
    ordering = ["site_name", "id"]
    form = SiteForm
    readonly_fields = ["id", "table_name", "is_root", "web_address", "assets_address"]
    fieldsets = [
        (None, {"fields": ["site_name", "site_dir", "parent", "taxis", "id", "table_name", "is_root"]}),
        *[_fieldset(group) for group in GROUPS],
    ]

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
        """Who may change sites changes their settings."""
        return self.allows(request, "change", obj)

    def save_model(self, request: Any, obj: Site, *args: Any) -> None:
        """Store the site, and note what changed."""
        change_site(obj)

    @admin.display(description=label("webUrl"))
    def web_address(self, site: Site) -> str:
        """Where the pages of the site are, as the API answers it."""
        return str(site_attributes(site)["webUrl"])

    @admin.display(description=label("assetsUrl"))
    def assets_address(self, site: Site) -> str:
        """Where the uploads of the site are, as the API answers it."""
        return str(site_attributes(site)["assetsUrl"])
