"""The forms of the pages of API keys; each asks for the password of who sends it."""

from collections.abc import Iterator, Mapping
from copy import copy
from datetime import datetime, time, timedelta
from typing import Any

from django import forms
from django.contrib.auth import get_user_model
from django.core.exceptions import ValidationError
from django.forms import BoundField
from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apikeys.allowed import site_names, sites
from apikeys.models import MOST_REQUESTS, ApiKey
from apikeys.scopes import READ, WRITE, Scope, format_scopes
from cms_api.admin.confirmation import ConfirmedForm
from cms_api.lib import clock

_ACCESS = [("", _("none")), (READ, _("read")), (WRITE, _("read and write"))]
# What opens nothing is offered only to a key that has it, as commands give it.
_OPENS_NOTHING = {Scope.STL: WRITE, Scope.SQL: WRITE}
_SENTENCES: dict[Scope, Promise] = {
    Scope.CHANNELS: _("The channels of sites: list and read them; write: create, change, move, delete."),
    Scope.CONTENTS: _("The contents of sites: list and read them; write: create, change, approve, delete."),
    Scope.ADMINISTRATORS: _("Administrators: list and read them; write: create, change, delete, change passwords."),
    Scope.USERS: _("Users of the sites: list and read them; write: create, change, delete, change passwords."),
    Scope.STL: _("Values for pages, by template tags. There is nothing to write."),
    Scope.SQL: _("Rows by SELECT statements of the client's own. There is nothing to write."),
    Scope.SYSTEM: _("The service: read its metrics and the details of its health; write: restart it."),
}
EVERY, SOME = "every", "some"
KEEP, NEVER, ON_DATE = "keep", "never", "date"
# Fields that mean something with one value of another one only.
_ONLY_WITH = {"sites": f"reach={SOME}", "expires_on": f"expiry={ON_DATE}"}
_DAYS = {"30": _("in 30 days"), "90": _("in 90 days"), "365": _("in a year")}


class ActForm(ConfirmedForm):
    """An act on a key as it was when the page was made."""

    seen = forms.CharField(widget=forms.HiddenInput)


class RotationForm(ActForm):
    """How long the present token stays valid beside the new one."""

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


class KeyForm(ConfirmedForm):
    """What a key is for, whose it is, what it opens, where, and until when."""

    name = forms.CharField(
        label=_("Name"), max_length=200, help_text=_("What the key is for, such as the program that will use it.")
    )
    administrator = forms.ModelChoiceField(
        get_user_model().objects.none(),
        label=_("Owner"),
        help_text=_("The key never reaches further than its owner, and ends with the owner's account."),
    )
    reach = forms.ChoiceField(
        label=_("Sites"),
        choices=[(EVERY, _("every site that the owner reaches")), (SOME, _("only these:"))],
        widget=forms.RadioSelect,
        initial=EVERY,
    )
    sites = forms.MultipleChoiceField(
        label=_("Only these sites"),
        required=False,
        widget=forms.CheckboxSelectMultiple(attrs={"class": "key-sites"}),
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
        max_value=MOST_REQUESTS,
        help_text=_("At most; 0: any number. Empty: what the setting CMS_KEY_REQUESTS_PER_MINUTE says."),
    )
    seen = forms.CharField(widget=forms.HiddenInput, required=False)

    def __init__(self, request: HttpRequest, *args: Any, key: ApiKey | None = None, **options: Any) -> None:
        self.key = key
        initial = {"administrator": request.user.pk} if key is None else _initial(key)
        super().__init__(request, *args, initial=initial, **options)
        self._offer(key)
        for name, choice in _ONLY_WITH.items():
            self.fields[name].only = choice  # type: ignore[attr-defined]
        granted = key.parse_scopes() if key else {}
        for scope in Scope:
            self.fields[_field(scope)] = forms.ChoiceField(
                label=scope.value,
                choices=_choices(scope, granted),
                required=False,
                widget=forms.RadioSelect,
            )

    def _offer(self, key: ApiKey | None) -> None:
        owners = get_user_model().objects.filter(is_locked_out=False)
        if key is not None:
            owners |= get_user_model().objects.filter(pk=key.administrator_id)
        field: Any = self.fields["administrator"]
        field.queryset = owners.order_by("user_name")
        chosen = (key.parse_site_ids() if key else None) or frozenset()
        numbers = sorted({*sites().values_list("pk", flat=True), *chosen})
        field = self.fields["sites"]
        field.choices = list(zip(map(str, numbers), site_names(numbers), strict=True))
        field = self.fields["expiry"]
        kept = [(KEEP, _("as it is"))] if key is not None and key.expires_at is not None else []
        field.choices = [*kept, (NEVER, _("never")), *_DAYS.items(), (ON_DATE, _("on the day below"))]

    def scope_rows(self) -> Iterator[tuple[Scope, Promise, BoundField]]:
        """The rows of the table of scopes."""
        for scope in Scope:
            yield scope, _SENTENCES[scope], self[_field(scope)]

    def plain_fields(self) -> list[BoundField]:
        """The fields beside the table of scopes and before the password."""
        names = ("name", "administrator", "reach", "sites", "expiry", "expires_on", "requests_per_minute")
        return [self[name] for name in names]

    def clean(self) -> dict[str, Any]:
        """The values; those of the key are in `values`."""
        cleaned = super().clean() or self.cleaned_data
        site_ids, expires_at = self._read_sites(cleaned), self._read_expiry(cleaned)
        if not self.errors:
            scopes = {scope: cleaned[_field(scope)] for scope in Scope if cleaned[_field(scope)]}
            self.values = {
                "name": cleaned["name"],
                "administrator": cleaned["administrator"],
                "scopes": format_scopes(scopes),
                "site_ids": site_ids,
                "expires_at": expires_at,
                "requests_per_minute": cleaned.get("requests_per_minute"),
            }
            self._check()
        return cleaned

    def refuse(self, error: ValidationError) -> None:
        """Show what the model refuses at the field that it is about."""
        for field, errors in error.update_error_dict({}).items():
            for one in errors:
                scope = (one.params or {}).get("scope")
                name = _field(Scope(scope)) if scope else field
                self.add_error(name if name in self.fields else None, one)

    def _check(self) -> None:
        candidate = copy(self.key) if self.key else ApiKey()
        for name, value in self.values.items():
            setattr(candidate, name, value)
        try:
            candidate.full_clean()
        except ValidationError as error:
            self.refuse(error)

    def _read_sites(self, cleaned: dict[str, Any]) -> str:
        chosen, reach = cleaned.get("sites") or [], cleaned.get("reach")
        # Neither is guessed: a wrong guess would open every site.
        if reach == SOME and not chosen and "sites" not in self.errors:
            self.add_error("sites", _("Choose at least one site."))
        if reach == EVERY and chosen:
            self.add_error("reach", _("Sites are ticked below, so choose “only these”, or tick none."))
        return ",".join(map(str, sorted(map(int, chosen)))) if reach == SOME else ""

    def _read_expiry(self, cleaned: dict[str, Any]) -> datetime | None:
        expiry, day = cleaned.get("expiry"), cleaned.get("expires_on")
        if day is not None and expiry != ON_DATE:
            self.add_error("expiry", _("A day is given below, so choose it, or leave it empty."))
        if expiry == KEEP and self.key is not None:
            return self.key.expires_at
        if expiry in _DAYS:
            return clock.now() + timedelta(days=int(str(expiry)))
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


def _initial(key: ApiKey) -> dict[str, Any]:
    site_ids = key.parse_site_ids()
    return {
        "name": key.name,
        "administrator": key.administrator_id,
        "reach": EVERY if site_ids is None else SOME,
        "sites": sorted(map(str, site_ids or ())),
        "expiry": NEVER if key.expires_at is None else KEEP,
        "requests_per_minute": key.requests_per_minute,
        "seen": key.stamp,
    } | {_field(scope): access for scope, access in key.parse_scopes().items()}


def _choices(scope: Scope, granted: Mapping[Scope, str]) -> list[tuple[str, Promise]]:
    needless = _OPENS_NOTHING.get(scope)
    return [choice for choice in _ACCESS if choice[0] != needless or granted.get(scope) == needless]
