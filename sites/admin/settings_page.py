"""What the page of a site shows: its members in groups, each with its default and what it depends on."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.forms import BoundField
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from cms_api.admin.attribute_form import sentence
from cms_api.rest.attributes import NEVER, Attribute, Kind
from sites.attributes import ACTED_ON, GROUPS, REGISTRY, site_attributes
from sites.models import Site

# Members that mean nothing while a switch is off.
SWITCHES = {
    "checkContentLevel": "isCheckContentLevel",
    "isCountHitsByDay": "isCountHits",
    "autoPageWordNum": "isAutoPageInTextEditor",
    "separatedWebUrl": "isSeparatedWeb",
    "separatedAssetsUrl": "isSeparatedAssets",
    "createStaticContentAddDate": "isCreateStaticContentByAddDate",
    **{name: "isWaterMark" for name in REGISTRY.by_name if name.startswith("waterMark") or name == "isImageWaterMark"},
}


@dataclass(frozen=True)
class Setting:
    """One member on the page. A computed one has no field."""

    name: str
    label: str
    help_text: str
    field: BoundField | None
    value: str  # of a computed one
    default: str  # as the field would hold it
    default_words: str
    limit: str
    switch: str
    is_default: bool

    @property
    def is_switch(self) -> bool:
        """Whether it is a box to check."""
        return self.field is not None and self.field.widget_type == "checkbox"


@dataclass(frozen=True)
class Group:
    """Members that belong together; those that only clients read come apart."""

    name: str
    title: str | Promise
    settings: list[Setting]
    kept: list[Setting]


def groups_of(form: Any, site: Site) -> list[Group]:
    """The groups of the page, in their order."""
    return [_group(number, name, form, site) for number, name in enumerate(GROUPS, start=1)]


def _group(number: int, name: str, form: Any, site: Site) -> Group:
    members = list(_members(name, form, site))
    acted = [setting for setting in members if setting.name in ACTED_ON]
    kept = [setting for setting in members if setting.name not in ACTED_ON]
    return Group(f"group-{number}", gettext_lazy(name), acted, kept)


def _members(group: str, form: Any, site: Site) -> Iterator[Setting]:
    computed, stored = site_attributes(site), REGISTRY.values(site.settings)
    for attribute in REGISTRY:
        if attribute.group == group:
            field = None if attribute.is_computed else form[attribute.name]
            yield Setting(
                name=attribute.name,
                label=_(attribute.label),
                help_text=_(attribute.help_text) if attribute.help_text else "",
                field=field,
                value=str(computed[attribute.name]),
                default=_as_typed(attribute, attribute.default),
                default_words=words_of(attribute, attribute.default),
                limit=_limit(attribute),
                switch=SWITCHES.get(attribute.name, ""),
                is_default=stored[attribute.name] == attribute.default,
            )


def _as_typed(attribute: Attribute, value: Any) -> str:
    if attribute.kind == Kind.BOOLEAN:
        return "on" if value else ""
    return "" if value == NEVER else str(value)


def words_of(attribute: Attribute, value: Any) -> str:
    """A value of the member in words."""
    if attribute.kind == Kind.BOOLEAN:
        return _("on") if value else _("off")
    named = dict(attribute.choices).get(value, "")
    return (pgettext("setting", named) if named else _as_typed(attribute, value)) or _("(empty)")


def _limit(attribute: Attribute) -> str:
    is_told = attribute.kind == Kind.INTEGER or (attribute.form is not None and attribute.kind == Kind.TEXT)
    return sentence(attribute) if is_told and not attribute.choices and not attribute.is_computed else ""
