import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext as _

from core.admin.attribute_form import form_fields, initial_values, stored_values
from core.admin.changed_fields_form import KeepingForm
from core.admin.error_messages import tell
from core.lib.errors import ServiceError
from sites.admin.address_change import AddressChange, digest
from sites.attributes import REGISTRY, WATERMARK
from sites.models import Site
from sites.page_rule_checks import channel_rule_problem, content_rule_problem
from sites.services import hold_site
from sites.upload_kinds import TAKEN_TYPES, UploadKind, folder_of, untaken_types
from sites.watermark_checks import raise_if_undrawable_mark

COLUMNS = ("site_name", "site_dir", "parent_id", "taxis")
# A switch → the member with the address that it turns on.
_SEPARATED = {"isSeparatedWeb": "separatedWebUrl", "isSeparatedAssets": "separatedAssetsUrl"}
WATERMARK_MEMBERS = frozenset(attribute.name for attribute in REGISTRY if attribute.group == WATERMARK)
_ADDRESS = re.compile(r"https?://[^\s/?#]\S*|/\S*", re.IGNORECASE)
_RULES = {"channelFilePathRule": channel_rule_problem, "contentFilePathRule": content_rule_problem}
# Fields that may change the addresses of pages.
_MOVING = (*_RULES, "site_dir", "parent", "isSeparatedWeb", "separatedWebUrl")
_NOTHING = object()


def facts_of(site: Site) -> dict[str, Any]:
    """Return the values shown on the page, without members that have their default."""
    columns = {name: getattr(site, name) for name in COLUMNS}
    return columns | REGISTRY.without_defaults(REGISTRY.values(site.settings))


def differing(some: Mapping[str, Any], others: Mapping[str, Any]) -> list[str]:
    names = dict.fromkeys([*some, *others])
    return [name for name in names if some.get(name, _NOTHING) != others.get(name, _NOTHING)]


class SettingsForm(KeepingForm, forms.ModelForm):  # type: ignore[type-arg]
    """A site with one field for each member of its settings; other entries stay.

    Stores only changes against `seen`, the values shown. If another administrator has saved since, nothing is
    stored until `overwrite` confirms that the current values were shown, too. If the change moves pages, nothing is
    stored until `confirmed` names the web address and rules that were shown.
    """

    seen = forms.CharField(required=False, widget=forms.HiddenInput)
    overwrite = forms.CharField(required=False, widget=forms.HiddenInput)
    confirmed = forms.CharField(required=False, widget=forms.HiddenInput)

    # Members changed by another administrator since, and the value of `overwrite` that accepts them.
    theirs: list[str] = []
    accepted = ""

    # Compares the stored site with the typed one; an app above sets it, since sites know no pages.
    find_address_change: Callable[[Site, Site], AddressChange | None] = staticmethod(lambda before, after: None)
    address_change: AddressChange | None = None
    confirmation = ""  # the value of `confirmed` that accepts the change

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        shown = initial_values(REGISTRY, self.instance.settings) | {"seen": json.dumps(facts_of(self.instance))}
        self.initial = shown | dict(self.initial)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        # add_error removes a member from the values, so find all problems first.
        for member, problem in list(_problems(self.instance, cleaned, self.initial, self.changed_data)):
            self.add_error(member, problem)
        # A watermark that cannot be drawn would block all uploads of pictures.
        if not self.errors and WATERMARK_MEMBERS.intersection(self.changed_data):
            try:
                raise_if_undrawable_mark(self.instance.pk, cleaned)
            except ServiceError as refusal:
                member = "waterMarkImagePath" if cleaned["isImageWaterMark"] else "waterMarkFormatString"
                self.add_error(member, tell(refusal))
        if not self.errors:
            self._merge(cleaned)
        return cleaned

    def _post_clean(self) -> None:
        super()._post_clean()  # type: ignore[misc]
        if self.errors:
            return
        before, after = _places_of(self._stored, self._stored.web_url), _places_of(self.instance)
        self.confirmation = digest([before, after])
        if before == after or self.cleaned_data["confirmed"] == self.confirmation:
            return
        self.address_change = self.find_address_change(self._stored, self.instance)
        if self.address_change:
            self.add_error(None, forms.ValidationError(self.address_change.sentence, code="addresses_change"))

    @property
    def moving(self) -> str:
        """Return the id of the first edited field that may change addresses."""
        return next((str(self[name].id_for_label) for name in _MOVING if name in self.changed_data), "")

    def _merge(self, cleaned: dict[str, Any]) -> None:
        """Merge the page's changes into the stored values, which are locked until the transaction ends."""
        try:
            current = hold_site(self.instance.pk)
        except ServiceError as refusal:
            self.add_error(None, tell(refusal))
            return
        self._stored = current
        now = facts_of(current)
        seen = _read(cleaned["seen"]) or now
        self.theirs = differing(seen, now)
        self.accepted = digest(now)
        if self.theirs and cleaned["overwrite"] != self.accepted:
            message = _("Someone else has changed this site since you opened it. Nothing has been stored yet.")
            self.add_error(None, forms.ValidationError(message, code="changed_meanwhile"))
            return
        for column in COLUMNS:
            field = column.removesuffix("_id")
            typed = cleaned.get(field, _NOTHING)
            if typed is _NOTHING or (typed.pk if isinstance(typed, Site) else typed) == seen.get(column):
                setattr(self.instance, column, getattr(current, column))
                if typed is not _NOTHING:
                    cleaned[field] = getattr(current, field)
        stored = stored_values(REGISTRY, cleaned)
        mine = set(differing({name: value for name, value in seen.items() if name not in COLUMNS}, stored))
        mine &= set(self.changed_data)  # not values that the form reads in another way, such as a blank date
        # Keep stored values, even if equal to a default or invalid.
        kept = {name: value for name, value in current.settings.items() if name not in mine}
        self.instance.settings = kept | {name: value for name, value in stored.items() if name in mine}


def _places_of(site: Site, web_url: str | None = None) -> list[Any]:
    """Return what the addresses of the site's pages are made of."""
    return [site.compute_web_url() if web_url is None else web_url, *(site.settings.get(name) for name in _RULES)]


def _read(text: str) -> dict[str, Any]:
    try:
        read = json.loads(text)
    except ValueError:
        return {}
    return read if isinstance(read, dict) else {}


def _problems(
    site: Site, values: Mapping[str, Any], before: Mapping[str, Any], changed: Collection[str]
) -> Iterator[tuple[str, str]]:
    """Yield changed members that the page refuses although their form is valid, with a translated sentence.

    Programs and packages may store such values, which stay until changed on the page. `values` lack members that are
    invalid themselves; `before` are the values of the page.
    """
    needed = _("%(address)s is required while %(switch)s is on.")
    for switch, member in _SEPARATED.items():
        if member in values and {switch, member}.intersection(changed):
            address, name = values[member], _quoted(member)
            if address and not _ADDRESS.fullmatch(address):
                yield (
                    member,
                    _("%(name)s must begin with http://, https:// or / and must not contain spaces.") % {"name": name},
                )
            # Without a host, the site's addresses would begin at the top of the service's own.
            if not address and values.get(switch):
                yield member, needed % {"address": name, "switch": _quoted(switch)}
    for member, find_problem in _RULES.items():
        if member in values and member in changed and (problem := find_problem(site, values[member])):
            yield member, problem
    for kind in UploadKind:
        yield from _upload_problems(kind, values, before, changed)
    member = "waterMarkImagePath" if values.get("isImageWaterMark") else "waterMarkFormatString"
    is_marked = WATERMARK_MEMBERS.intersection(changed) and values.get("isWaterMark")
    if is_marked and not values.get(member, " ").strip():
        yield member, needed % {"address": _quoted(member), "switch": _quoted("isWaterMark")}


def _upload_problems(
    kind: UploadKind, values: Mapping[str, Any], before: Mapping[str, Any], changed: Collection[str]
) -> Iterator[tuple[str, str]]:
    member = f"{kind}UploadDirectoryName"
    if member in changed and member in values:
        typed, used = values[member], folder_of(values[member])
        if typed.replace("\\", "/").removeprefix("@").strip("/") != used:
            sentence = _(
                "“%(typed)s” is not a valid folder; “%(used)s” would be used instead. A folder has at "
                "most six parts of letters, digits and . - _ ( ) + @, and no part begins or ends with . "
                "or -."
            )
            yield member, sentence % {"typed": typed, "used": used or f"upload/{kind}s"}
    member = f"{kind}UploadTypeCollection"
    if member in changed and member in values and (new := untaken_types(kind, values[member], str(before[member]))):
        told = {"types": ", ".join(new), "taken": ", ".join(sorted(TAKEN_TYPES))}
        if kind is UploadKind.IMAGE:
            yield member, _("Not accepted as pictures: %(types)s. Pictures may be: %(taken)s.") % told
        else:
            never = _(
                "Not accepted: %(types)s. These are not file extensions, or files with them may run as "
                "programs when opened."
            )
            yield member, never % told


def _quoted(member: str) -> str:
    return f"“{_(REGISTRY.by_name[member].label)}”"


# Declared, not added to each form, so that pages may name the fields.
SiteForm = type("SiteForm", (SettingsForm,), form_fields(REGISTRY))
