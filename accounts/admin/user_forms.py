"""The forms of users: what they are called and how they are reached, their picture."""

from typing import Any

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from accounts import avatars, services
from accounts.admin.forms import DRAW, ActingForm, refuse_neither
from accounts.models import User
from accounts.passwords import draw_password
from accounts.serializers import UserSerializer
from accounts.validators import help_text_of
from cms_api.admin.refusals import tell
from cms_api.lib.errors import InvalidInput, ServiceError
from cms_api.rest.names import to_wire

NAMES = ("user_name", "display_name", "email", "mobile")
STATES = {"is_checked": "approve", "is_locked_out": "lock"}  # with the right that lets somebody change it
WORK = ("organization", "department", "position")
PERSON = (
    *("gender", "birthday", "education", "graduation", "address"),
    *("wei_xin", "qq", "wei_bo", "interests", "signature"),
)
COLUMNS = (*NAMES, *STATES, *WORK, *PERSON)
_SERIALIZER = UserSerializer.field_table()


class UserForm(ActingForm):
    """A user; a new one has a password, typed or drawn."""

    password = forms.CharField(
        label=_("Password"),
        strip=False,
        required=False,
        help_text=help_text_of(User),
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )
    is_drawn = forms.BooleanField(label=DRAW, required=False)

    class Meta:
        model = User
        fields = COLUMNS

    drawn = ""  # the password of a new user, if it was not typed

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        if self.instance.pk:
            for name in ("password", "is_drawn"):
                self.fields.pop(name, None)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if not self.instance.pk:
            refuse_neither(self)
        return cleaned

    def _clean_fields(self) -> None:
        """As the API reads the members, beside what the form itself wants."""
        super()._clean_fields()  # type: ignore[misc]
        for name in set(self.cleaned_data) & set(COLUMNS):
            try:
                self.cleaned_data[name] = _SERIALIZER[name].read(self.cleaned_data[name], to_wire(name))  # type: ignore[attr-defined]
            except InvalidInput:
                self.add_error(name, _told(name))

    def act(self) -> User:
        """The user, made or changed."""
        values = {name: self.cleaned_data[name] for name in COLUMNS if name in self.cleaned_data}
        if self.instance.pk:
            # The form's own changes alone: what somebody else has changed meanwhile stays.
            changed = {name: value for name, value in values.items() if name in self.changed_data}
            return services.update_user(self.instance.pk, changed)
        self.drawn = draw_password() if self.cleaned_data["is_drawn"] else ""
        return services.create_user(values | {"password": self.drawn or self.cleaned_data["password"]})


def _told(name: str) -> Any:
    if name == "user_name":
        return _("A name has no blanks, no quotation marks and none of : < > |")
    return _("This value is not possible here.")


class PictureForm(forms.Form):
    """Another picture of a user, or none."""

    picture = forms.FileField(
        label=pgettext_lazy("of a person", "Picture"),
        required=False,
        widget=forms.ClearableFileInput(attrs={"accept": "image/png,image/jpeg,image/gif,image/webp"}),
    )
    is_removed = forms.BooleanField(label=_("Remove the picture"), required=False)

    def __init__(self, user: User, *args: Any) -> None:
        super().__init__(*args)
        self._user = user
        if not (user.avatar_file or user.avatar_url):
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
                avatars.replace(self._user.pk, picture.read())
            else:
                services.update_user(self._user.pk, {"avatar_url": ""})
        except ServiceError as refusal:
            self.add_error("picture", tell(refusal))
