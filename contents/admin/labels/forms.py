"""The forms of a group and of a tag."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from cms_api.admin.pages import POSITION
from cms_api.admin.picker import Picker
from cms_api.admin.refusals import tell
from cms_api.lib.errors import ServiceError
from contents.services import labels
from contents.wire.name_list import MAX_NAME
from sites.admin.choosing import seen_sites
from sites.models import Site


class TagForm(forms.Form):
    name = forms.CharField(label=_("Name"), max_length=MAX_NAME)

    def clean_name(self) -> str:
        """The name. Raises ValidationError for one that contents cannot carry."""
        try:
            return labels.require_name(self.cleaned_data["name"])
        except ServiceError as refusal:
            raise forms.ValidationError(tell(refusal), code=refusal.code) from refusal


class GroupForm(TagForm):
    """A group of a site that is there."""

    description = forms.CharField(label=_("Description"), required=False, widget=forms.Textarea(attrs={"rows": 3}))
    taxis = forms.IntegerField(
        label=POSITION,
        initial=0,
        min_value=-(2**31),
        max_value=2**31,
        help_text=_("Groups with lower numbers stand before others."),
    )


class NewGroupForm(GroupForm):
    """A group that is to be made, in one of the sites that the administrator sees."""

    site = forms.ModelChoiceField(label=_("Site"), queryset=Site.objects.none(), widget=Picker)
    field_order: Sequence[str] = ["site", "name", "description", "taxis"]

    def __init__(self, request: HttpRequest, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        field: Any = self.fields["site"]
        field.queryset = seen_sites(request).defer("settings")
        field.initial = request.GET.get("site") or field.queryset.first()

    def _post_clean(self) -> None:
        super()._post_clean()  # type: ignore[misc]
        if not self.errors:
            self._create()

    def _create(self) -> None:
        given = self.cleaned_data
        try:
            labels.create_group(given["site"].pk, given["name"], given["description"], given["taxis"])
        except ServiceError as refusal:
            self.add_error("name", tell(refusal))
