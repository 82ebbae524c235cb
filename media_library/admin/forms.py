from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from core.admin.changed_fields_form import KeepingForm
from core.admin.error_messages import tell
from core.lib.errors import ServiceError
from core.rest.preconditions import if_version
from media_library.changes import update_file
from media_library.models import MediaFile

_PERCENT = 100
_TEXTS = ("title", "alternative_text", "credit", "tags")
_FOCUS = ("focal_left", "focal_top")


class MediaForm(KeepingForm, forms.ModelForm):  # type: ignore[type-arg]
    """The texts of a file; validation stores them, so that refusals appear in the form."""

    focal_left = forms.IntegerField(
        label=_("Focal point, % from the left"), required=False, min_value=0, max_value=_PERCENT
    )
    focal_top = forms.IntegerField(
        label=_("Focal point, % from the top"),
        required=False,
        min_value=0,
        max_value=_PERCENT,
        help_text=_("This point stays in sight where the picture is cut. Click on the picture to choose it."),
    )
    seen_version = forms.IntegerField(label="", required=False, min_value=0, widget=forms.HiddenInput)

    class Meta:
        model = MediaFile
        fields = _TEXTS
        labels = {
            "title": _("Title"),
            "alternative_text": _("Alternative text"),
            "credit": _("Credit"),
            "tags": _("Tags"),
        }
        help_texts = {
            "alternative_text": _("What the picture shows, for people who do not see it and for search engines."),
            "credit": _("Photographer, agency or licence."),
            "tags": _("Separated by commas."),
        }
        widgets = {"alternative_text": forms.Textarea(attrs={"rows": 3})}

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.initial["seen_version"] = self.instance.version
        if self.instance.focal_x is not None:
            self.initial["focal_left"] = round(self.instance.focal_x * _PERCENT)
            self.initial["focal_top"] = round(self.instance.focal_y * _PERCENT)

    def clean(self) -> dict[str, Any]:
        super().clean()
        given = [self.cleaned_data.get(name) for name in _FOCUS if name in self.fields]
        if any(value is None for value in given) and any(value is not None for value in given):
            self.add_error("focal_left", _("Enter both numbers of the focal point, or neither."))
        return self.cleaned_data

    def _post_clean(self) -> None:
        if self.errors:
            return
        values: dict[str, Any] = {name: self.cleaned_data[name] for name in _TEXTS if name in self.changed_data}
        if not set(_FOCUS).isdisjoint(self.changed_data):
            left, top = (self.cleaned_data[name] for name in _FOCUS)
            values["focal_point"] = None if left is None else (left / _PERCENT, top / _PERCENT)
        try:
            seen = self.cleaned_data.get("seen_version") or 0
            self.instance = update_file(self.instance.site_id, self.instance.pk, values, if_version(seen))
        except ServiceError as refusal:
            self.add_error(None, tell(refusal))

    def validate_unique(self) -> None:
        """Do nothing: the paths do not change."""

    def _save_m2m(self) -> None:
        """Do nothing: the service has stored everything."""
