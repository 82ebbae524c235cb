"""Forms of the back end for administrators and groups.

The services check as they write. So that what they refuse stands beside the field, a form acts while it is being
checked, inside the page's transaction, once nothing else is wrong with it; saving it does nothing more.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

from django import forms
from django.apps import apps
from django.contrib.auth.models import Group, Permission
from django.db import transaction
from django.db.models import Case, IntegerField, Value, When
from django.forms.models import ModelChoiceIterator
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from accounts import administrator_services
from accounts.administrator_services import Office, store_group
from accounts.models import Account, Administrator, is_clear_name
from accounts.passwords import draw_password, give_password
from accounts.validators import help_text_of
from cms_api.admin.checkboxes import ManyCheckboxes
from cms_api.admin.confirmation import ConfirmedForm
from cms_api.admin.pages import Right
from cms_api.admin.ranks import Rank, rank_of
from cms_api.admin.refusals import tell
from cms_api.lib.errors import ServiceError

COLUMNS = ("user_name", "display_name", "email", "mobile")


# The field for the member that a refusal names.
FIELDS = {"userName": "user_name", "newPassword": "password"}
FIELDS |= {name: name for name in ("email", "mobile", "password", "rank", "sites")}


class ActingForm(forms.ModelForm):  # type: ignore[type-arg]
    """A form whose `act` is what a service does."""

    def act(self) -> Any:
        """The record after the act. Raises a ServiceError."""
        raise NotImplementedError

    def _post_clean(self) -> None:
        if self.errors:
            return
        try:
            with transaction.atomic():
                self.instance = self.act()
        except ServiceError as refusal:
            field = FIELDS.get(str(refusal.members.get("member", "")))
            self.add_error(field if field in self.fields else None, tell(refusal))

    def _save_m2m(self) -> None:
        """Nothing: the service has."""

    def validate_unique(self) -> None:
        """Nothing: the service does."""


def site_choices() -> list[tuple[int, str]]:
    """Number and name of every site."""
    # By the name of the model: accounts import no other app.
    sites: Any = apps.get_model("cms_sites.Site")._default_manager
    return [(pk, f"{name} ({pk})") for pk, name in sites.order_by("site_name", "pk").values_list("pk", "site_name")]


class AdministratorForm(ConfirmedForm, ActingForm):
    """An administrator with the rank; a new one has a password, too.

    The password of who sends it is asked for, since a thief of a session could otherwise appoint somebody of the
    highest rank and go on as that one.
    """

    rank = forms.ChoiceField(
        label=_("Rank"),
        choices=[
            (Rank.HIGHEST.value, _("Highest: everything, on every site")),
            (Rank.SITES.value, _("Site administrator: contents, channels and attributes of the sites chosen below")),
            (Rank.ORDINARY.value, _("Ordinary: what the groups chosen below allow, on every site")),
        ],
        widget=forms.RadioSelect,
        initial=Rank.ORDINARY.value,
    )
    sites = forms.TypedMultipleChoiceField(
        label=_("Sites"), coerce=int, required=False, widget=ManyCheckboxes(none=_("There are no sites yet."))
    )
    groups = forms.ModelMultipleChoiceField(
        label=_("Groups"),
        queryset=Group.objects.order_by("name"),
        required=False,
        widget=ManyCheckboxes(none=_("There are no groups yet."), add="admin:auth_group_add", added=_("Add a group")),
    )
    password = forms.CharField(
        label=_("Password"),
        strip=False,
        help_text=help_text_of(Administrator),
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    class Meta:
        model = Administrator
        fields = COLUMNS

    request: HttpRequest  # the page sets it

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(self.request, *args, **options)
        chosen = cast(forms.TypedMultipleChoiceField, self.fields["sites"])
        chosen.choices = site_choices()
        if self.instance.pk:
            self.initial["rank"] = rank_of(self.instance).value
            self.initial["sites"] = sorted(self.instance.reachable_site_ids)
            self.fields.pop("password", None)

    def clean_user_name(self) -> str:
        """A name as the services want it."""
        name = str(self.cleaned_data["user_name"])
        if not is_clear_name(name):
            raise forms.ValidationError(_("A name has no blanks around it and no control characters."))
        return name

    def clean(self) -> dict[str, Any]:
        """Sites belong to one rank; with another they would say more than they do."""
        cleaned = super().clean() or {}
        if cleaned.get("rank") == Rank.ORDINARY.value and cleaned.get("sites"):
            told = _("Only site administrators have sites. Choose that rank, or no site: groups count on every site.")
            self.add_error("sites", told)
        return cleaned

    def act(self) -> Administrator:
        """The administrator, appointed or changed."""
        cleaned = self.cleaned_data
        office = Office(Rank(cleaned["rank"]), cleaned["sites"], list(cleaned["groups"]))
        values = {column: cleaned[column] for column in COLUMNS}
        if self.instance.pk:
            return administrator_services.change(self.instance.pk, values, office, by=int(self.request.user.pk or 0))
        return administrator_services.appoint(values | {"password": cleaned["password"]}, office)


DRAW = _("Draw a password, and show it once")


def refuse_neither(form: forms.BaseForm) -> None:
    """Note an error where a password is neither typed nor to be drawn."""
    if not form.errors and not form.cleaned_data["password"] and not form.cleaned_data["is_drawn"]:
        form.add_error("password", _("Type a password, or have one drawn."))


class NewPasswordForm(ConfirmedForm):
    """Another account's new password, typed twice or drawn."""

    password = forms.CharField(
        label=pgettext_lazy("field", "New password"),
        strip=False,
        required=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password", "autofocus": True}),
    )
    again = forms.CharField(
        label=_("New password, again"),
        strip=False,
        required=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )
    is_drawn = forms.BooleanField(label=DRAW, required=False)

    drawn = ""  # the password, if it was not typed

    def __init__(self, request: HttpRequest, kind: type[Account], account_id: int, *args: Any) -> None:
        super().__init__(request, *args)
        self._kind, self._account_id = kind, account_id
        self.fields["password"].help_text = help_text_of(kind)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if not self.errors and cleaned["password"] != cleaned["again"]:
            self.add_error("again", _("The two passwords differ."))
        refuse_neither(self)
        return cleaned

    def _post_clean(self) -> None:
        super()._post_clean()
        if self.errors:
            return
        self.drawn = draw_password() if self.cleaned_data["is_drawn"] else ""
        try:
            give_password(self._kind, self._account_id, self.drawn or self.cleaned_data["password"])
        except ServiceError as refusal:
            self.add_error("password", tell(refusal))


class _BySubject(ModelChoiceIterator):  # type: ignore[type-arg]
    """Permissions, each below the heading of what it is about."""

    def __iter__(self) -> Iterator[Any]:
        """The subjects in the order of the pages, with the choices of each."""
        field, subjects = cast("PermissionChoices", self.field), dict[str, list[Any]]()
        for permission in self.queryset:
            subjects.setdefault(field.right_of(permission).subject, []).append(self.choice(permission))
        yield from subjects.items()


class PermissionChoices(forms.ModelMultipleChoiceField):  # type: ignore[type-arg]
    """Permissions, told in the words of the pages."""

    iterator = _BySubject
    rights: Mapping[str, Right]

    def right_of(self, permission: Permission) -> Right:
        """The permission in words."""
        return self.rights[f"{permission.content_type.app_label}.{permission.codename}"]

    def label_from_instance(self, permission: Permission) -> str:
        """What it allows; the heading tells to what."""
        return self.right_of(permission).words


class GroupForm(ActingForm):
    """A group with the permissions that mean something: those of the pages that groups may open."""

    permissions = PermissionChoices(
        label=_("Rights"),
        queryset=Permission.objects.none(),
        required=False,
        widget=ManyCheckboxes(),
    )

    class Meta:
        model = Group
        fields = ("name",)

    rights: Mapping[str, Right] = {}  # by codename, as the pages offer them; the page sets it

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        field = cast(PermissionChoices, self.fields["permissions"])
        field.rights = self.rights
        field.queryset = grantable(self.rights)
        if self.instance.pk:
            self.initial["permissions"] = list(self.instance.permissions.values_list("pk", flat=True))

    def clean_name(self) -> str:
        """A name that no other group has."""
        name = str(self.cleaned_data["name"])
        if Group.objects.filter(name=name).exclude(pk=self.instance.pk).exists():
            raise forms.ValidationError(_("Another group has this name."))
        return name

    def act(self) -> Group:
        """The group as it is chosen."""
        return store_group(self.instance, self.cleaned_data["name"], list(self.cleaned_data["permissions"]))


def grantable(codenames: Iterable[str]) -> Any:
    """The permissions by their full codenames, in the order of the pages."""
    places = []
    for place, full in enumerate(codenames):
        app_label, codename = full.split(".")
        places.append(When(content_type__app_label=app_label, codename=codename, then=Value(place)))
    ranked = Permission.objects.annotate(place=Case(*places, output_field=IntegerField()))
    return ranked.filter(place__isnull=False).select_related("content_type").order_by("place")
