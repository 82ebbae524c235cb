"""A part of a picture, as a copy or instead of the picture."""

from collections.abc import Callable
from functools import partial
from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from core.admin.error_messages import tell
from core.admin.places import places_of
from core.admin.views import address_of, render_page, seen_record
from core.lib.errors import ServiceError
from core.lib.media_storage import extension_of
from core.rest.preconditions import if_version
from core.uploads.pictures import MAX_SIDE
from media_library.cropping import copy_part, replace_by_part
from media_library.kinds import MediaKind
from media_library.models import MediaFile
from media_library.renditions.requested import OWN_FORMATS
from media_library.upload_pictures import Box
from media_library.uploads import media_url

COPY, REPLACE = "copy", "replace"


class CropForm(forms.Form):
    """Validation stores the part, so that refusals appear in the form."""

    x = forms.IntegerField(label=_("From the left"), min_value=0, max_value=MAX_SIDE)
    y = forms.IntegerField(label=_("From the top"), min_value=0, max_value=MAX_SIDE)
    width = forms.IntegerField(label=_("Width"), min_value=1, max_value=MAX_SIDE)
    height = forms.IntegerField(label=_("Height"), min_value=1, max_value=MAX_SIDE)
    seen_version = forms.IntegerField(required=False, min_value=0, widget=forms.HiddenInput)

    def __init__(self, record: MediaFile, data: Any = None, store: Callable[..., Any] | None = None) -> None:
        whole = {"x": 0, "y": 0, "width": record.width, "height": record.height}
        super().__init__(data, initial={**whole, "seen_version": record.version})
        self.record, self.store, self.stored = record, store, None

    def clean(self) -> None:
        if self.errors or self.store is None:
            return
        box = Box(*(self.cleaned_data[name] for name in Box._fields))
        try:
            self.stored = self.store(self.record, box, if_version(self.cleaned_data["seen_version"] or 0))
        except ServiceError as refusal:
            self.add_error(None, tell(refusal))


def may_crop(page: Any, request: HttpRequest, record: MediaFile) -> dict[str, bool]:
    """Return which results the administrator may choose, if the picture can be cropped at all."""
    is_fit = record.kind == MediaKind.IMAGE and extension_of(record.path) in OWN_FORMATS and record.trashed_at is None
    return {
        COPY: is_fit and page.may_upload_in(request, record.site_id),
        REPLACE: is_fit and page.has_change_permission(request, record),
    }


def crop_view(page: Any, request: HttpRequest, pk: int) -> HttpResponse:
    record = seen_record(page, request, pk)
    allowed = may_crop(page, request, record)
    if not any(allowed.values()):
        raise Http404
    form = CropForm(record)
    if request.method == "POST":
        result = request.POST.get("result", COPY)
        if not allowed.get(result):
            raise Http404
        places = places_of(request.user, "media_library.add_mediafile")
        store = partial(copy_part, places=places) if result == COPY else replace_by_part
        form = CropForm(record, request.POST, store)
        if form.is_valid():
            return _stored(page, request, record, form.stored)
    context = {
        "title": _now("Crop “%(name)s”") % {"name": record.title or record.name},
        "form": form,
        "record": record,
        "shown_url": media_url(record),
        "may_copy": allowed[COPY],
        "may_replace": allowed[REPLACE],
        "back": address_of(page, "change", pk),
    }
    return render_page(page, request, "media_library/crop.html", context)


def _stored(page: Any, request: HttpRequest, record: MediaFile, stored: Any) -> HttpResponse:
    if isinstance(stored, MediaFile):
        messages.success(request, _now("The picture was cropped."))
        return HttpResponseRedirect(address_of(page, "change", record.pk))
    if stored.is_existing:
        messages.success(request, _now("This part is in the library already and was not stored again."))
    else:
        messages.success(request, _now("The part was stored as another file."))
    return HttpResponseRedirect(address_of(page, "change", stored.file.pk))
