"""Uploads to the library: by the form of its page, and one by one by the script of the list."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext, ngettext_lazy

from core.admin import admin_actions
from core.admin.admin_actions import AdminAction, Changed, OtherOutcome, Outcome
from core.admin.large_forms import takes_files
from core.admin.numbers import read_number
from core.admin.places import places_of
from core.admin.views import render_page
from core.lib.errors import attempt
from media_library.admin.folders import FOLDER, list_address
from media_library.admin.replacing import MAX_FORM
from media_library.branches import require_own_folder
from media_library.creation import Created, create_files
from media_library.folders import upload_folder
from media_library.models import MediaFile
from media_library.uploads import prepare_by_type
from sites.admin.choosing import choose_site, seen_site, site_choices
from sites.models import Site

UPLOAD = AdminAction(
    "add",
    _("Upload files"),
    "",  # the page asks
    ngettext_lazy("%(count)d file was uploaded.", "%(count)d files were uploaded.", "count"),
    lambda request, file: None,
)


def _create(request: HttpRequest, site: Site, file: UploadedFile) -> Created:  # type: ignore[type-arg]
    """Store the file in the folder that the address names, or where the person may store it."""
    places = places_of(request.user, "media_library.add_mediafile")
    folder = read_number(request.GET.get(FOLDER)) or 0
    upload = prepare_by_type(site, file)
    if not folder and not places.covers_site(site.pk):
        folder = upload_folder(site.pk, places).pk
    require_own_folder(site.pk, folder, places)
    values = {"folder_id": folder} if folder else {}
    (result,) = create_files([upload], values, is_copy=False, places=places)
    created: Created = result
    return created


def _store(request: HttpRequest, site: Site, file: UploadedFile) -> Any:  # type: ignore[type-arg]
    result = _create(request, site, file)
    changed = Changed(result.file.pk, result.file.version)
    return OtherOutcome(changed, _there_already) if result.is_existing else changed


def store_sent(request: HttpRequest, site: Site, file: UploadedFile) -> dict[str, Any]:  # type: ignore[type-arg]
    result = _create(request, site, file)
    told = {"told": _there_already(1)} if result.is_existing else _elsewhere(request, result.file)
    return {"address": result.file.address, "name": result.file.title, **told}


def _elsewhere(request: HttpRequest, file: MediaFile) -> dict[str, str]:
    """Name the folder of the file if it is not the one that the list shows."""
    shown = read_number(request.GET.get(FOLDER))
    if shown is None or shown == (file.folder_id or 0):
        return {}
    return {"told": _now("The file was stored in the folder “%(name)s”.") % {"name": file.folder}}


def _there_already(count: int) -> str:
    told = ngettext(
        "%(count)d file is in the library already and was not stored again.",
        "%(count)d files are in the library already and were not stored again.",
        count,
    )
    return told % {"count": count}


@takes_files(MAX_FORM)
def add_view(page: Any, request: HttpRequest) -> HttpResponse:
    """Take any number of files for a site, each of which is stored or refused by itself."""
    if not page.has_add_permission(request):
        raise PermissionDenied
    places = page.places(request.user, "add")
    site_id = read_number(request.GET.get("site"))
    if site_id is None:
        return choose_site(page, request, _("Upload files"), "site", site_choices(request, places))
    site = seen_site(request, site_id, places)
    back = list_address(page, site.pk, read_number(request.GET.get(FOLDER)))
    if request.method != "POST":
        context = {"title": _("Upload files"), "site": site, "list_address": back}
        return render_page(page, request, "media_library/upload.html", context)
    files = request.FILES.getlist("files")
    if not files:
        messages.error(request, _now("Choose at least one file."))
        return HttpResponseRedirect(request.get_full_path())
    outcome = Outcome()
    for number, file in enumerate(files):
        outcome.add(number, file.name or "", attempt(_store, request, site, file))
    outcome.left = 0
    admin_actions.report(UPLOAD, request, outcome)
    if outcome.changed and not places.covers_site(site.pk):  # the files may be in another folder than the list showed
        back = list_address(page, site.pk, MediaFile.objects.get(pk=outcome.changed[-1].number).folder_id or 0)
    return HttpResponseRedirect(back)
