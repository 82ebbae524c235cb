"""The form of a site: one field for each member of its settings, and nothing lost when two people save at once."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext as _

from cms_api.admin.attribute_form import form_fields, initial_values, stored_values
from cms_api.admin.refusals import tell
from cms_api.lib.errors import ServiceError
from sites.admin.settings_checks import WATERMARK_MEMBERS, problems
from sites.attributes import REGISTRY
from sites.models import Site
from sites.services import hold_site
from sites.uploads import refuse_undrawable_mark

COLUMNS = ("site_name", "site_dir", "parent_id", "taxis")
_NOTHING = object()

Facts = dict[str, Any]


def facts_of(site: Site) -> Facts:
    """What the page shows of a site, without members that have their default."""
    columns = {name: getattr(site, name) for name in COLUMNS}
    return columns | REGISTRY.without_defaults(REGISTRY.values(site.settings))


def differing(some: Mapping[str, Any], others: Mapping[str, Any]) -> list[str]:
    """The names of what is not the same."""
    names = dict.fromkeys([*some, *others])
    return [name for name in names if some.get(name, _NOTHING) != others.get(name, _NOTHING)]


class SettingsForm(forms.ModelForm):  # type: ignore[type-arg]
    """A site with one field for each member of its settings; entries that are no members stay.

    `seen` tells what the page showed. Only what was changed there is stored. If somebody else has saved meanwhile,
    nothing is, until `overwrite` says that what is there now has been seen, too.
    """

    seen = forms.CharField(required=False, widget=forms.HiddenInput)
    overwrite = forms.CharField(required=False, widget=forms.HiddenInput)

    # What somebody else has changed meanwhile, and the word that accepts it.
    theirs: list[str] = []
    accepted = ""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        shown = initial_values(REGISTRY, self.instance.settings) | {"seen": json.dumps(facts_of(self.instance))}
        self.initial = shown | dict(self.initial)

    def clean(self) -> dict[str, Any]:
        """The values; the site gets its settings from them, without defaults."""
        cleaned = super().clean() or self.cleaned_data
        # The values lose a member with its first error; all are found first.
        for member, problem in list(problems(self.instance, cleaned, self.initial, self.changed_data)):
            self.add_error(member, problem)
        if not self.errors:
            self._look_at_watermark(cleaned)
        if not self.errors:
            self._merge(cleaned)
        return cleaned

    def _look_at_watermark(self, cleaned: dict[str, Any]) -> None:
        # One that could not be drawn would keep everybody from uploading pictures.
        if not WATERMARK_MEMBERS.intersection(self.changed_data):
            return
        try:
            refuse_undrawable_mark(self.instance.pk, cleaned)
        except ServiceError as refusal:
            member = "waterMarkImagePath" if cleaned["isImageWaterMark"] else "waterMarkFormatString"
            self.add_error(member, tell(refusal))

    def _merge(self, cleaned: dict[str, Any]) -> None:
        """Put what was changed on the page over what is stored now, which is held until the end of the transaction."""
        current = hold_site(self.instance.pk)
        now = facts_of(current)
        seen = _read(cleaned["seen"]) or now
        self.theirs, self.accepted = differing(seen, now), _digest(now)
        if self.theirs and cleaned["overwrite"] != self.accepted:
            message = _("Somebody else has changed this site while you were at it. Nothing was stored yet.")
            self.add_error(None, forms.ValidationError(message, code="changed_meanwhile"))
            return
        self._keep_columns(cleaned, current, seen)
        typed = stored_values(REGISTRY, cleaned)
        mine = set(differing({name: value for name, value in seen.items() if name not in COLUMNS}, typed))
        # What is stored stays as it is, also where it equals a default; but not what no settings can hold.
        kept = {
            name: value
            for name, value in current.settings.items()
            if name not in mine and not REGISTRY.problems({name: value})
        }
        self.instance.settings = kept | {name: value for name, value in typed.items() if name in mine}

    def _keep_columns(self, cleaned: dict[str, Any], current: Site, seen: Facts) -> None:
        for column in COLUMNS:
            field = column.removesuffix("_id")
            typed = cleaned.get(field, _NOTHING)
            is_mine = typed is not _NOTHING and (typed.pk if isinstance(typed, Site) else typed) != seen.get(column)
            if not is_mine:
                setattr(self.instance, column, getattr(current, column))
                if typed is not _NOTHING:
                    cleaned[field] = getattr(current, field)


def _read(text: str) -> Facts:
    try:
        read = json.loads(text)
    except ValueError:
        return {}
    return read if isinstance(read, dict) else {}


def _digest(facts: Facts) -> str:
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


# The fields are declared and not added to each form, so that pages may name them.
SiteForm = type("SiteForm", (SettingsForm,), form_fields(REGISTRY))
