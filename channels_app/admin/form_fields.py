"""The fields of the form of a channel that are more than Django's."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from channels_app.serializers import MAX_ID
from cms_api.admin.editor.widget import RichTextWidget, UploadWidget
from sites.uploads import shown_root


class TextAreaField(forms.CharField):
    """A text of several lines, whose ends browsers send in their own way."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("widget", forms.Textarea(attrs={"rows": 4}))
        super().__init__(required=False, strip=False, **options)

    def to_python(self, value: Any) -> str:
        """The text with plain ends of lines."""
        return str(super().to_python(value)).replace("\r\n", "\n")

    def has_changed(self, initial: Any, data: Any) -> bool:
        """Whether more than the ends of lines is other than before."""
        return bool(super().has_changed(self.to_python(initial), self.to_python(data)))


class NumberField(forms.IntegerField):
    """A number of something, 0 for none."""

    def __init__(self, **options: Any) -> None:
        super().__init__(required=False, min_value=0, max_value=MAX_ID, **options)

    def clean(self, value: Any) -> int:
        """The number."""
        return int(super().clean(value) or 0)


def inputs_of(site_id: int, upload_url: str) -> dict[str, forms.Field]:
    """The fields whose inputs take files; without an address for uploads they take addresses alone."""
    shared: dict[str, Any] = {"upload_url": upload_url, "site_root": shown_root(site_id)}
    return {
        "content": TextAreaField(label=_("Text"), widget=RichTextWidget({"rows": 12}, **shared)),
        "image_url": forms.CharField(
            label=_("picture"), required=False, max_length=2000, widget=UploadWidget("image", **shared)
        ),
    }
