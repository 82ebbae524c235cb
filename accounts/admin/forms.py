"""Forms that call their service in `_post_clean`, to show its refusals beside the field; saving does nothing more."""

import re
from collections.abc import Mapping
from typing import Any, cast

from django import forms
from django.conf import settings
from django.contrib.admin.forms import AdminAuthenticationForm
from django.contrib.auth.models import Group, Permission
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest, QueryDict
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from accounts import administrator_services, avatars, services
from accounts.admin.branch_choices import branch_choices
from accounts.administrator_services import RoleAssignment, store_group
from accounts.attempts import SignInFailed
from accounts.models import Account, Administrator, User, is_clear_name
from accounts.place_names import live_channels, site_names
from accounts.roles import description_of, shown_name
from accounts.serializers import UserSerializer
from accounts.sign_in import draw_password, give_password
from accounts.validators import help_text_of
from core.admin.changed_fields_form import KeepingForm
from core.admin.checkboxes import ManyCheckboxes
from core.admin.confirmation import ConfirmedForm
from core.admin.error_messages import tell
from core.admin.numbers import read_number, read_numbers
from core.admin.pages import Right
from core.admin.ranks import Rank, rank_of
from core.lib.errors import InvalidInput, ServiceError
from core.rest.names import to_wire

NAMES = ("user_name", "display_name", "email", "mobile")
# Fields of users: states, each with the right to change it, work, and person.
STATES = {"is_checked": "approve", "is_locked_out": "lock"}
WORK = ("organization", "department", "position")
PERSON = (
    *("gender", "birthday", "education", "graduation", "address"),
    *("wei_xin", "qq", "wei_bo", "interests", "signature"),
)
_OF_USERS = (*NAMES, *STATES, *WORK, *PERSON)
_FIELDS = {"userName": "user_name", "newPassword": "password"}  # other members have the name of their field
_DRAW = _("Generate a password and show it once")


class SignInForm(AdminAuthenticationForm):
    # Django's own field normalizes letters that a name may contain (NFKC).
    username = forms.CharField(
        label=_("Name, email address or mobile number"),
        widget=forms.TextInput(attrs={"autofocus": True, "autocapitalize": "none", "autocomplete": "username"}),
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        if self.data.get("username"):  # after a failure
            del self.fields["username"].widget.attrs["autofocus"]
            self.fields["password"].widget.attrs["autofocus"] = True

    def get_invalid_login_error(self) -> ValidationError:
        refusal: ServiceError = getattr(self.request, "sign_in_refusal", None) or SignInFailed()
        return ValidationError(tell(refusal), code=refusal.code)


def _password_field(**options: Any) -> forms.CharField:
    attributes = {"autocomplete": "new-password"} | options.pop("attrs", {})
    return forms.CharField(strip=False, widget=forms.PasswordInput(attrs=attributes), **options)


class ActingForm(KeepingForm, forms.ModelForm):  # type: ignore[type-arg]
    """A form whose `act` calls a service and returns the record; `act` may raise ServiceError."""

    def action(self) -> Any:
        raise NotImplementedError

    def _post_clean(self) -> None:
        if self.errors:
            return
        try:
            with transaction.atomic():
                self.instance = self.action()
        except ServiceError as refusal:
            member = str(refusal.members.get("member", ""))
            field = _FIELDS.get(member, member)
            told = ValidationError(tell(refusal), code=refusal.code)
            self.add_error(field if field in self.fields else None, told)

    def _save_m2m(self) -> None:
        """Do nothing; `act` has stored the relations."""

    def validate_unique(self) -> None:
        """Do nothing; the service validates."""


class GroupsField(forms.ModelMultipleChoiceField):  # type: ignore[type-arg]
    """Groups, with the descriptions of roles."""

    def label_from_instance(self, group: Any) -> str:
        name, described = shown_name(group.name), description_of(group)
        return _("%(name)s: %(description)s") % {"name": name, "description": described} if described else name


class AdministratorForm(ConfirmedForm, ActingForm):
    """Requires the sender's password, so that a stolen session cannot appoint an accomplice of the highest rank."""

    rank = forms.ChoiceField(
        label=_("Rank"),
        choices=[
            (Rank.HIGHEST.value, _("Superuser: everything, on every site")),
            (
                Rank.SITES.value,
                _("Site administrator: content items, channels and attributes of the sites chosen below"),
            ),
            (Rank.ORDINARY.value, _("Ordinary: what the groups chosen below allow, where they apply")),
        ],
        widget=forms.RadioSelect,
        initial=Rank.ORDINARY.value,
    )
    sites = forms.TypedMultipleChoiceField(
        label=_("Sites"), coerce=int, required=False, widget=ManyCheckboxes(none=_("There are no sites yet."))
    )
    groups = GroupsField(
        label=_("Groups"),
        queryset=Group.objects.order_by("name").prefetch_related("permissions__content_type"),
        required=False,
        widget=ManyCheckboxes(none=_("There are no groups yet."), add="admin:auth_group_add", added=_("Add a group")),
    )
    password = _password_field(label=_("Password"), help_text=help_text_of(Administrator))

    class Meta:
        model = Administrator
        fields = NAMES

    request: HttpRequest  # set by the page

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(self.request, *args, **options)
        field = cast(forms.TypedMultipleChoiceField, self.fields["sites"])
        field.choices = [(pk, f"{name} ({pk})") for pk, name in site_names()]
        if self.instance.pk:
            self.initial["rank"] = rank_of(self.instance).value
            self.initial["sites"] = sorted(self.instance.reachable_site_ids)
            self.fields.pop("password", None)

    def clean_user_name(self) -> str:
        name = str(self.cleaned_data["user_name"])
        if "user_name" in self.changed_data and not is_clear_name(name):
            raise ValidationError(_("A name must not begin or end with a space or contain control characters."))
        return name

    def clean_sites(self) -> list[int]:
        sites: list[int] = self.cleaned_data["sites"]
        if sites and self.cleaned_data.get("rank") == Rank.ORDINARY.value:
            told = _(
                "Only site administrators have sites. Choose that rank, or choose no sites: groups have their own."
            )
            raise ValidationError(told)
        return sites

    def action(self) -> Administrator:
        cleaned = self.cleaned_data
        office = RoleAssignment(Rank(cleaned["rank"]), cleaned["sites"], list(cleaned["groups"]))
        values = {column: cleaned[column] for column in NAMES}
        if self.instance.pk:
            return administrator_services.change(self.instance.pk, values, office, by=int(self.request.user.pk or 0))
        return administrator_services.appoint(values | {"password": cleaned["password"]}, office)


class GroupForm(ActingForm):
    permissions = forms.ModelMultipleChoiceField(
        label=_("Rights"), queryset=Permission.objects.none(), required=False, widget=ManyCheckboxes()
    )

    is_limited = forms.TypedChoiceField(
        label=_("The rights apply"),
        choices=[("", _("everywhere")), ("1", _("only in the sites and channels chosen below"))],
        coerce=bool,
        empty_value=False,  # type: ignore[arg-type]  # the stub knows no others than texts
        required=False,
        widget=forms.RadioSelect,
    )
    sites = forms.TypedMultipleChoiceField(
        label=_("Whole sites"), coerce=int, required=False, widget=ManyCheckboxes(none=_("There are no sites yet."))
    )
    branches = forms.TypedMultipleChoiceField(
        label=_("Channels with all below them"),
        coerce=int,
        required=False,
        widget=ManyCheckboxes(none=_("No channel is chosen.")),
    )
    more_branches = forms.CharField(
        label=_("Add channels"),
        required=False,
        max_length=1000,
        help_text=_("Type part of a name and choose, or enter channel IDs, separated by commas."),
    )

    class Meta:
        model = Group
        fields = ("name",)

    rights: Mapping[str, Right] = {}  # by full codename, in the order of the pages; set by the page
    find_address = ""  # of the search for channels; set by the page
    copied: Group | None = None  # the group with whose values a new one begins; set by the page

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        by_codename = {
            f"{permission.content_type.app_label}.{permission.codename}": permission.pk
            for permission in Permission.objects.select_related("content_type")
        }
        subjects: dict[str, list[tuple[int, str]]] = {}  # by heading
        for codename, right in self.rights.items():
            if codename in by_codename:
                subjects.setdefault(right.subject, []).append((by_codename[codename], right.words))
        field = cast("forms.ModelMultipleChoiceField[Permission]", self.fields["permissions"])
        field.queryset = Permission.objects.filter(pk__in=[pk for rows in subjects.values() for pk, _words in rows])
        field.choices = list(subjects.items())
        origin = self.instance if self.instance.pk else self.copied
        if origin is not None:
            self.initial["permissions"] = list(origin.permissions.values_list("pk", flat=True))
        if self.copied is not None and origin is self.copied:
            self.initial["name"] = gettext("Copy of %(name)s") % {"name": shown_name(self.copied.name)}
        self.fields["more_branches"].widget.attrs |= {
            "data-address": self.find_address,
            "data-found": gettext("Found:"),
        }
        places = [] if origin is None else list(origin.places.values_list("site_id", "channel_id"))
        self._stored = {channel_id: site_id for site_id, channel_id in places if channel_id}
        sites = cast(forms.TypedMultipleChoiceField, self.fields["sites"])
        self.initial.update(is_limited="1" if places else "", branches=list(self._stored))
        self.initial["sites"] = [site_id for site_id, channel_id in places if not channel_id]
        names = dict(site_names())
        # Deleted sites stay until they are taken away, so that their group stays limited.
        gone = {pk: _("deleted site %(number)d") % {"number": pk} for pk in self.initial["sites"] if pk not in names}
        sites.choices = list((names | gone).items())
        chosen = read_numbers(",".join(cast("QueryDict", self.data).getlist("branches"))) if self.is_bound else []
        branches = cast(forms.TypedMultipleChoiceField, self.fields["branches"])
        branches.choices = branch_choices(list(dict.fromkeys([*self._stored, *chosen])))

    def clean_name(self) -> str:
        name = str(self.cleaned_data["name"])
        if Group.objects.filter(name=name).exclude(pk=self.instance.pk).exists():
            raise ValidationError(_("Another group has this name."))
        return name

    def clean_more_branches(self) -> list[int]:
        parts = [part.strip() for part in re.split("[,，、]", self.cleaned_data["more_branches"]) if part.strip()]
        numbers = list(map(read_number, parts))
        if None in numbers:
            raise ValidationError(_("Choose one of the channels found, or enter channel IDs."))
        return [number for number in numbers if number is not None]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if self.errors:
            return cleaned
        chosen = {*cleaned["branches"], *cleaned["more_branches"]}
        known = dict(live_channels().filter(pk__in=chosen).values_list("pk", "site_id")) | self._stored
        if unknown := sorted(chosen - known.keys()):
            told = _("There is no channel with the ID %(number)d, or it is the home channel of a site.")
            self.add_error("more_branches", told % {"number": unknown[0]})
        places = {(site_id, 0) for site_id in cleaned["sites"]} | {(known[pk], pk) for pk in chosen & known.keys()}
        if cleaned["is_limited"] and not places:
            self.add_error("is_limited", _("Choose a site or a channel."))
        if places and not cleaned["is_limited"]:
            self.add_error("is_limited", _("Sites or channels are chosen. Limit the rights to them, or choose none."))
        cleaned["places"] = places
        return cleaned

    def action(self) -> Group:
        cleaned = self.cleaned_data
        return store_group(self.instance, cleaned["name"], list(cleaned["permissions"]), cleaned["places"])


def _take_password(form: forms.BaseForm) -> tuple[str, str]:
    drawn = draw_password() if form.cleaned_data["is_drawn"] else ""
    return drawn or form.cleaned_data["password"], drawn


def _raise_if_no_password(form: forms.BaseForm) -> None:
    if not form.errors and not form.cleaned_data["password"] and not form.cleaned_data["is_drawn"]:
        form.add_error("password", _("Enter a password, or have one generated."))


class NewPasswordForm(ConfirmedForm):
    password = _password_field(label=pgettext_lazy("field", "New password"), required=False, attrs={"autofocus": True})
    again = _password_field(label=_("Repeat the new password"), required=False)
    is_drawn = forms.BooleanField(label=_DRAW, required=False)

    drawn = ""  # the generated password, if the administrator requested one

    def __init__(self, request: HttpRequest, account: Account, *args: Any) -> None:
        super().__init__(request, *args)
        self._account = account
        self.fields["password"].help_text = help_text_of(type(account))

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if not self.errors and cleaned["password"] != cleaned["again"]:
            self.add_error("again", _("The two passwords differ."))
        _raise_if_no_password(self)
        return cleaned

    def _post_clean(self) -> None:
        super()._post_clean()
        if self.errors:
            return
        password, self.drawn = _take_password(self)
        try:
            give_password(type(self._account), self._account.pk, password)
        except ServiceError as refusal:
            self.add_error("password", tell(refusal))


class UserForm(ActingForm):
    password = _password_field(label=_("Password"), required=False, help_text=help_text_of(User))
    is_drawn = forms.BooleanField(label=_DRAW, required=False)

    class Meta:
        model = User
        fields = _OF_USERS

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        if self.instance.pk:
            for name in ("password", "is_drawn"):
                self.fields.pop(name, None)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if not self.instance.pk:
            _raise_if_no_password(self)
        return cleaned

    def _clean_fields(self) -> None:
        super()._clean_fields()
        fields = UserSerializer.field_table()
        for name in set(self.cleaned_data) & set(_OF_USERS) & set(self.changed_data):
            try:
                self.cleaned_data[name] = fields[name].read(self.cleaned_data[name], to_wire(name))  # type: ignore[attr-defined]
            except InvalidInput:
                is_name = name == "user_name"
                told = _("A name must not contain spaces, quotation marks or any of : < > |")
                self.add_error(name, told if is_name else _("This value is not allowed here."))

    def action(self) -> User:
        values = {name: self.cleaned_data[name] for name in _OF_USERS if name in self.cleaned_data}
        if self.instance.pk:
            # Only values changed in the form, so that later changes by others stay.
            changed = {name: value for name, value in values.items() if name in self.changed_data}
            return services.update_user(self.instance.pk, changed)
        password, drawn = _take_password(self)
        user = services.create_user(values | {"password": password})
        user.drawn_password = drawn  # type: ignore[attr-defined]  # shown once on the page
        return user


class PictureForm(forms.Form):
    picture = forms.FileField(
        label=pgettext_lazy("of a person", "Picture"),
        required=False,
        widget=forms.ClearableFileInput(attrs={"accept": "image/png,image/jpeg,image/gif,image/webp"}),
    )
    is_removed = forms.BooleanField(label=_("Remove the picture"), required=False)

    def __init__(self, account: User | Administrator, *args: Any) -> None:
        super().__init__(*args)
        self._account = account
        if not (account.avatar_file or getattr(account, "avatar_url", "")):
            del self.fields["is_removed"]
        most = settings.CMS_AVATAR_MAX_BYTES // 1024
        self.fields["picture"].help_text = _("PNG, JPEG, GIF or WebP of at most %(count)d KiB.") % {"count": most}

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        picture = cleaned.get("picture")
        if not self.errors and not picture and not cleaned.get("is_removed"):
            self.add_error("picture", _("Choose a picture."))
        elif picture and picture.size > settings.CMS_AVATAR_MAX_BYTES:
            self.add_error("picture", _("The picture is too large."))
        return cleaned

    def _post_clean(self) -> None:
        super()._post_clean()  # type: ignore[misc]
        if self.errors:
            return
        picture = self.cleaned_data.get("picture")
        try:
            if picture:
                avatars.replace(type(self._account), self._account.pk, picture.read())
            elif isinstance(self._account, User):
                services.update_user(self._account.pk, {"avatar_url": ""})
            else:
                avatars.switch(Administrator, self._account.pk, "")
        except ServiceError as refusal:
            self.add_error("picture", tell(refusal))
