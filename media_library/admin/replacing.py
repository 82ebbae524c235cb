"""New bytes for a file, at the same address."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from core.admin.error_messages import tell
from core.admin.large_forms import takes_files
from core.admin.views import address_of, render_page, seen_record
from core.lib.errors import ServiceError
from core.rest.preconditions import if_version
from media_library.changes import Replacement, require_same_type
from media_library.models import MediaFile
from media_library.uploads import prepare_by_type

MAX_FORM = 1024**3  # bytes; the limits of the site apply


class ReplaceForm(forms.Form):
    """Validation replaces the file, so that refusals appear in the form."""

    file = forms.FileField(
        label=_("New file"),
        help_text=_(
            "It must have the same type, and gets the address of the former one. Pages of the site show it at once."
        ),
        allow_empty_file=True,  # the service says so
    )
    seen_version = forms.IntegerField(required=False, widget=forms.HiddenInput)

    def __init__(self, record: MediaFile, data: Any = None, files: Any = None) -> None:
        super().__init__(data, files, initial={"seen_version": record.version})
        self.record = record

    def clean(self) -> None:
        if self.errors:
            return
        try:
            upload = prepare_by_type(self.record.site, self.cleaned_data["file"])
            require_same_type(self.record, upload)
            with Replacement(upload) as replacement:
                replacement.apply(self.record.pk, if_version(self.cleaned_data["seen_version"] or 0))
        except ServiceError as refusal:
            self.add_error("file", tell(refusal))


@takes_files(MAX_FORM)
def replace_view(page: Any, request: HttpRequest, pk: int) -> HttpResponse:
    record = seen_record(page, request, pk)
    if not page.has_change_permission(request, record):  # nor has anyone in the trash
        raise Http404
    back = address_of(page, "change", pk)
    form = ReplaceForm(record, *((request.POST, request.FILES) if request.method == "POST" else ()))
    if form.is_bound and form.is_valid():
        messages.success(request, _now("The file was replaced."))
        return HttpResponseRedirect(back)
    context = {
        "title": _now("Replace the file “%(name)s”") % {"name": record.title or record.name},
        "form": form,
        "button": _now("Replace"),
        "is_upload": True,
        "back": back,
    }
    return render_page(page, request, "media_library/question.html", context)
