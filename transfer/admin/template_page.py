"""The page that takes a site template as a file, and has it looked through."""

from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.template.response import TemplateResponse
from django.utils.crypto import get_random_string
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from cms_api.admin.large_forms import takes_files
from cms_api.admin.refusals import tell
from cms_api.jobs import asking, folders
from cms_api.jobs.addresses import page_of
from cms_api.jobs.models import Job
from cms_api.lib.errors import ServiceError
from transfer.admin.wizard_forms import TemplateForm
from transfer.new_site import SURVEY

if TYPE_CHECKING:
    from django.contrib.admin import ModelAdmin

_ZIP = b"PK"
_MEGABYTE = 1024 * 1024


class TemplatePage:
    """A form with a file; scripts send it with `Accept: application/json` and show how much has been sent."""

    def __init__(self, pages: "ModelAdmin[Any]") -> None:
        self._pages = pages

    @takes_files("CMS_PACKAGE_MAX_BYTES")
    def page(self, request: HttpRequest) -> HttpResponse:
        """Show the form; a POST with a file leads to the job that looks through it."""
        form = TemplateForm(request.POST or None, request.FILES or None) if request.method == "POST" else TemplateForm()
        if request.method == "POST" and form.is_valid():
            file = form.cleaned_data["file"]
            try:
                if not (problem := _problem(file)):
                    return _to_page(request, _ask(file))
            except ServiceError as refusal:
                problem = tell(refusal)
            form.add_error("file", problem)
        if request.method == "POST" and _wants_json(request):
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
    """The job that looks through the file. Raises a ServiceError, and keeps no file then."""
    folders.remove_old_uploads()
    token = folders.keep_upload(file)
    named = {"package": token, "file_name": (file.name or "")[:255]}
    try:
        return asking.ask(SURVEY.name, named, token=get_random_string(32))
    except ServiceError:
        folders.remove_upload(token)
        raise


def _to_page(request: HttpRequest, job: Job) -> HttpResponse:
    place = page_of(job)
    return JsonResponse({"address": place}) if _wants_json(request) else HttpResponseRedirect(place)


def _problem(file: "UploadedFile[Any]") -> str:
    if (file.size or 0) > settings.CMS_PACKAGE_MAX_BYTES:
        return _("The file is larger than %(count)d MB.") % {"count": settings.CMS_PACKAGE_MAX_BYTES // _MEGABYTE}
    file.seek(0)
    beginning = file.read(len(_ZIP))
    file.seek(0)
    return "" if beginning == _ZIP else _("This is no zip file.")


def _wants_json(request: HttpRequest) -> bool:
    return "application/json" in request.headers.get("Accept", "")
