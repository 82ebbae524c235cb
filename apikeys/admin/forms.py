from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Any

from django import forms
from django.contrib.auth import get_user_model
from django.core.exceptions import ValidationError
from django.forms import BoundField
from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apikeys.key_overview import site_names
from apikeys.models import MAX_REQUESTS, ApiKey, ApiKeyToken
from apikeys.scopes import READ, WRITE, Scope, format_scopes
from core.admin.confirmation import ConfirmedForm
from core.lib import clock
from sites.models import Site

_ACCESS = [("", _("none")), (READ, _("read")), (WRITE, _("read and write"))]
# Accesses that open nothing; offered only to a key that already has them, as commands allow.
_OPENS_NOTHING = {Scope.STL: WRITE, Scope.SQL: WRITE}
_SENTENCES: dict[Scope, Promise] = {
    Scope.CHANNELS: _("The channels of sites: list and read them; write: create, change, move, delete."),
    Scope.CONTENTS: _("The content items of sites: list and read them; write: create, change, approve, delete."),
    Scope.MEDIA: _("The files of sites: list and read their records; write: upload, change, replace, delete."),
    Scope.FORMS: _("What visitors send by the forms of sites: list and read it; write: reply, change states, delete."),
    Scope.ADMINISTRATORS: _("Administrators: list and read them; write: create, change, delete, change passwords."),
    Scope.USERS: _("Users of the sites: list and read them; write: create, change, delete, change passwords."),
    Scope.STL: _("Values for pages, by template tags. Read only."),
    Scope.SQL: _("Rows selected by the client's own SELECT statements. Read only."),
    Scope.SYSTEM: _("The service: read its metrics and the details of its health; write: restart it."),
}
EVERY, SOME = "every", "some"
KEEP, NEVER, ON_DATE = "keep", "never", "date"
# Fields that take effect only with one value of another field.
_ONLY_WITH = {"sites": f"reach={SOME}", "expires_on": f"expiry={ON_DATE}"}
_DAYS = {"30": _("in 30 days"), "90": _("in 90 days"), "365": _("in a year")}


class KeyActionForm(ConfirmedForm):
    seen = forms.CharField(widget=forms.HiddenInput)  # the stamp of the key when the page was rendered


class RotationForm(KeyActionForm):
    overlap = forms.TypedChoiceField(
        label=_("The old token stays valid for"),
        choices=[
            (0, _("no time: it ends at once")),
            (30 * 60, _("30 minutes")),
            (60 * 60, _("1 hour")),
            (24 * 60 * 60, _("24 hours")),
            (7 * 24 * 60 * 60, _("7 days")),
        ],
        coerce=int,
        initial=24 * 60 * 60,
    )


@dataclass(frozen=True)
class KeyAction:
    """An action with its page; `perform` returns the new token, if any."""

    name: str  # the last part of the address
    title: Promise
    explanation: Promise
    done: Promise
    perform: Callable[[ApiKey, Any, str], str | None]
    is_possible: Callable[[ApiKey], bool] = lambda key: key.revoked_at is None
    form: type[KeyActionForm] = KeyActionForm


KEY_ACTIONS = [
    KeyAction(
        "rotate",
        _("Rotate"),
        _(
            "The key gets a new token. The old one stays valid for the time you choose, so that programs "
            "can switch to the new one without interruption. A token from an earlier rotation ends now."
        ),
        _("The key has a new token."),
        lambda key, values, seen: key.rotate(timedelta(seconds=values["overlap"]), seen=seen),
        form=RotationForm,
    ),
    KeyAction(
        "end",
        _("End the old token"),
        _("The token from before the last rotation ends now. Requests that still use it are rejected."),
        _("The old token has ended."),
        lambda key, values, seen: key.end_overlap(seen=seen),
        lambda key: key.revoked_at is None and key.tokens.filter(slot=ApiKeyToken.Slot.PREVIOUS).exists(),
    ),
    KeyAction(
        "end_legacy",
        _("End the original key"),
        _("The key of SiteServer is no longer accepted. Requests that still use it are rejected."),
        _("The original key has ended."),
        lambda key, values, seen: key.end_legacy(seen=seen),
        lambda key: key.revoked_at is None and key.legacy_tokens.accepted().exists(),
    ),
    KeyAction(
        "reset",
        _("Reset"),
        _("The key gets a new token, and all its other tokens end at once. Do this if a token may have leaked."),
        _("The key has a new token; all others have ended."),
        lambda key, values, seen: key.reset(seen=seen),
    ),
    KeyAction(
        "revoke",
        _("Revoke"),
        _(
            "From now on, every request with the key is rejected. This cannot be undone. The key stays in "
            "the list with its last use."
        ),
        _("The key has been revoked."),
        lambda key, values, seen: key.revoke(seen=seen),
    ),
    KeyAction(
        "delete",
        _("Delete"),
        _("The key is removed from the list. The audit still shows what was done with it."),
        _("The key has been deleted."),
        lambda key, values, seen: key.discard(seen=seen),
        lambda key: key.revoked_at is not None,
    ),
]


class KeyForm(ConfirmedForm):
    name = forms.CharField(
        label=_("Name"), max_length=200, help_text=_("What the key is for, such as the program that will use it.")
    )
    administrator = forms.ModelChoiceField(
        get_user_model().objects.none(),
        label=_("Owner"),
        help_text=_("The key never allows more than its owner may do, and ends with the owner's account."),
    )
    reach = forms.ChoiceField(
        label=_("Sites"),
        choices=[(EVERY, _("every site that the owner can access")), (SOME, _("only these:"))],
        widget=forms.RadioSelect,
        initial=EVERY,
    )
    sites = forms.MultipleChoiceField(
        label=_("Only these sites"),
        required=False,
        widget=forms.CheckboxSelectMultiple(attrs={"class": "scrolls"}),
    )
    expiry = forms.ChoiceField(label=_("Expires"), widget=forms.RadioSelect, initial="365")
    expires_on = forms.DateField(
        label=_("Day of expiry"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}),
        help_text=_("The key ends at the beginning of that day."),
    )
    requests_per_minute = forms.IntegerField(
        label=_("Requests per minute"),
        required=False,
        min_value=0,
        max_value=MAX_REQUESTS,
        help_text=_("Maximum; 0: no limit. If empty, the setting CMS_KEY_REQUESTS_PER_MINUTE applies."),
    )
    seen = forms.CharField(widget=forms.HiddenInput, required=False)

    def __init__(self, request: HttpRequest, *args: Any, key: ApiKey | None = None, **options: Any) -> None:
        self.key = key
        granted = key.parse_scopes() if key else {}
        site_ids = key.parse_site_ids() if key else None
        initial: dict[str, Any] = {"administrator": request.user.pk}
        if key is not None:
            initial = {
                "name": key.name,
                "administrator": key.administrator_id,
                "reach": EVERY if site_ids is None else SOME,
                "sites": sorted(map(str, site_ids or ())),
                "expiry": NEVER if key.expires_at is None else KEEP,
                "requests_per_minute": key.requests_per_minute,
                "seen": key.stamp,
            } | {_field(scope): access for scope, access in granted.items()}
        super().__init__(request, *args, initial=initial, **options)
        fields: dict[str, Any] = self.fields
        owners = get_user_model().objects.filter(is_locked_out=False)
        if key is not None:
            owners |= get_user_model().objects.filter(pk=key.administrator_id)
        fields["administrator"].queryset = owners.order_by("user_name")
        numbers = sorted({*Site.objects.values_list("pk", flat=True), *(site_ids or ())})
        fields["sites"].choices = list(zip(map(str, numbers), site_names(numbers), strict=True))
        kept = [(KEEP, _("unchanged"))] if key is not None and key.expires_at is not None else []
        fields["expiry"].choices = [*kept, (NEVER, _("never")), *_DAYS.items(), (ON_DATE, _("on the day below"))]
        for name, choice in _ONLY_WITH.items():
            fields[name].only = choice
        for scope in Scope:
            needless = _OPENS_NOTHING.get(scope)
            fields[_field(scope)] = forms.ChoiceField(
                label=scope.value,
                choices=[each for each in _ACCESS if each[0] != needless or granted.get(scope) == needless],
                required=False,
                widget=forms.RadioSelect,
            )

    def scope_rows(self) -> Iterator[tuple[Scope, Promise, BoundField]]:
        for scope in Scope:
            yield scope, _SENTENCES[scope], self[_field(scope)]

    def plain_fields(self) -> list[BoundField]:
        names = ("name", "administrator", "reach", "sites", "expiry", "expires_on", "requests_per_minute")
        return [self[name] for name in names]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        site_ids, expires_at = self._read_sites(cleaned), self._read_expiry(cleaned)
        if self.errors:
            return cleaned
        scopes = {scope: cleaned[_field(scope)] for scope in Scope if cleaned[_field(scope)]}
        self.values = {
            "name": cleaned["name"],
            "administrator": cleaned["administrator"],
            "scopes": format_scopes(scopes),
            "site_ids": site_ids,
            "expires_at": expires_at,
            "requests_per_minute": cleaned.get("requests_per_minute"),
        }
        candidate = copy(self.key) if self.key else ApiKey()
        for name, value in self.values.items():
            setattr(candidate, name, value)
        try:
            candidate.full_clean()
        except ValidationError as error:
            self.refuse(error)
        return cleaned

    def refuse(self, error: ValidationError) -> None:
        for field, errors in error.update_error_dict({}).items():
            for one in errors:
                scope = (one.params or {}).get("scope")
                name = _field(Scope(scope)) if scope else field
                self.add_error(name if name in self.fields else None, one)

    def _read_sites(self, cleaned: dict[str, Any]) -> str:
        chosen, reach = cleaned.get("sites") or [], cleaned.get("reach")
        # Guess neither: a wrong guess would open every site.
        if reach == SOME and not chosen and "sites" not in self.errors:
            self.add_error("sites", _("Choose at least one site."))
        if reach == EVERY and chosen:
            self.add_error("reach", _("Sites are ticked below. Choose “only these”, or tick none."))
        return ",".join(map(str, sorted(map(int, chosen)))) if reach == SOME else ""

    def _read_expiry(self, cleaned: dict[str, Any]) -> datetime | None:
        expiry, day = cleaned.get("expiry"), cleaned.get("expires_on")
        if day is not None and expiry != ON_DATE:
            self.add_error("expiry", _("A day is entered below. Choose “on the day below”, or leave the day empty."))
        if expiry == KEEP and self.key is not None:
            return self.key.expires_at
        if expiry in _DAYS:
            return clock.steady(timedelta(days=int(str(expiry))))
        if expiry != ON_DATE:
            return None
        if day is None:
            if "expires_on" not in self.errors:
                self.add_error("expires_on", _("Choose the day."))
            return None
        end = datetime.combine(day, time())
        if end <= clock.now():
            self.add_error("expires_on", _("Choose a day in the future."))
        return end


def _field(scope: Scope) -> str:
    return f"scope_{scope.value}"
