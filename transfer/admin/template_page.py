from typing import TYPE_CHECKING, Any

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.template.response import TemplateResponse
from django.utils.crypto import get_random_string
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core.admin.error_messages import tell
from core.admin.large_forms import takes_files
from core.jobs import enqueueing, folders
from core.jobs.models import Job
from core.lib.errors import ServiceError
from transfer.new_site import SURVEY

if TYPE_CHECKING:
    from django.contrib.admin import ModelAdmin

_ZIP = b"PK"
_MEGABYTE = 1024 * 1024


class TemplateForm(forms.Form):
    file = forms.FileField(
        label=gettext_lazy("Site template"),
        help_text=gettext_lazy("A zip file as exported by SiteServer CMS."),
        widget=forms.FileInput(attrs={"accept": ".zip,application/zip"}),
    )

    def clean_file(self) -> "UploadedFile[Any]":
        file: UploadedFile[Any] = self.cleaned_data["file"]
        if (file.size or 0) > settings.CMS_PACKAGE_MAX_BYTES:
            told = _("The file is larger than %(count)d MB.")
            raise forms.ValidationError(told % {"count": settings.CMS_PACKAGE_MAX_BYTES // _MEGABYTE})
        file.seek(0)
        beginning = file.read(len(_ZIP))
        file.seek(0)
        if beginning != _ZIP:
            raise forms.ValidationError(_("This is not a zip file."))
        return file


class TemplatePage:
    """Upload of a site template; scripts send `Accept: application/json` to show progress."""

    def __init__(self, pages: "ModelAdmin[Any]") -> None:
        self._pages = pages

    @takes_files("CMS_PACKAGE_MAX_BYTES")
    def page(self, request: HttpRequest) -> HttpResponse:
        """Show the form; a POST starts the job that surveys the file."""
        wants_json = "application/json" in request.headers.get("Accept", "")
        form = TemplateForm(request.POST or None, request.FILES or None) if request.method == "POST" else TemplateForm()
        if request.method == "POST" and form.is_valid():
            try:
                place = _ask(form.cleaned_data["file"]).get_absolute_url()
                return JsonResponse({"address": place}) if wants_json else HttpResponseRedirect(place)
            except ServiceError as refusal:
                form.add_error("file", tell(refusal))
        if request.method == "POST" and wants_json:
            return JsonResponse({"message": " ".join(map(str, form.errors.get("file", [])))}, status=400)
        context = self._pages.admin_site.each_context(request) | {
            "opts": self._pages.opts,
            "title": gettext_lazy("Import a site template"),
            "form": form,
            "megabytes": settings.CMS_PACKAGE_MAX_BYTES // _MEGABYTE,
            "bytes": settings.CMS_PACKAGE_MAX_BYTES,
        }
        return TemplateResponse(request, "transfer/template.html", context)


def _ask(file: "UploadedFile[Any]") -> Job:
    """Start the survey of the file. Raises a ServiceError, and stores no file then."""
    folders.remove_old_uploads()
    token = folders.keep_upload(file)
    named = {"package": token, "file_name": (file.name or "")[:255]}
    try:
        return enqueueing.enqueue(SURVEY.name, named, token=get_random_string(32))
    except ServiceError:
        folders.remove_upload(token)
        raise
