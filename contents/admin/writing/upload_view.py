"""Takes in one file at a time from the form of a content, and answers a script in JSON."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import StopUpload, TemporaryFileUploadHandler
from django.http import HttpRequest, HttpResponse, JsonResponse, UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt, csrf_protect

from cms_api.admin.large_forms import takes_files
from cms_api.admin.refusals import tell
from cms_api.lib.errors import InvalidInput, ServiceError
from cms_api.rest.errors import status_of
from sites.models import Site
from sites.upload_kinds import UploadKind
from sites.uploads import file_too_large, keep, most_bytes, shown_root

_FORGED = HTTPStatus.FORBIDDEN


def view_of(pages: Any) -> Callable[..., HttpResponse]:
    """The view. Who may upload is looked at first, then the size, and then the token against forgery.

    Django would read the whole form for the sake of the token, with whatever handler of files it has by default.
    """

    @takes_files()  # BoundedFile keeps to the limit of the site
    @csrf_exempt
    def upload(request: HttpRequest, site_id: int) -> HttpResponse:
        if not pages.admin_site.has_permission(request):
            return _told(_("Your session has ended; sign in again."), HTTPStatus.UNAUTHORIZED)
        site = Site.objects.filter(pk=site_id).first() if pages.may_write_in(request, site_id) else None
        if site is None:
            return _told(_("You may not upload files to this site."), HTTPStatus.NOT_FOUND)
        if request.method != "POST":
            return _told(_("No file has arrived."), HTTPStatus.METHOD_NOT_ALLOWED)
        return _answer(request, site)

    return upload


def _answer(request: HttpRequest, site: Site) -> HttpResponse:
    file = BoundedFile(request, most_bytes(site))
    request.upload_handlers = [file]
    try:
        answered = _protected(request, site, file)
    except ServiceError as refusal:
        return _told(tell(refusal), status_of(refusal))
    except (MultiPartParserError, UnreadablePostError, SuspiciousOperation, RequestDataTooBig):
        return _told(_("The file has not arrived whole; try again."), HTTPStatus.BAD_REQUEST)
    finally:
        file.forget()
    if answered.status_code == _FORGED:
        return _told(_("The page is too old; load it again."), _FORGED)
    return answered


@csrf_protect
def _protected(request: HttpRequest, site: Site, file: "BoundedFile") -> HttpResponse:
    kind = request.POST.get("kind", "")
    sent = file.only(request)
    if kind not in set(UploadKind):
        raise InvalidInput("invalid_value", _("It is not known what the file is for."))
    kept = keep(site, UploadKind(kind), sent)
    told: dict[str, Any] = {
        "address": kept.address,
        "shown": shown_root(site.pk) + kept.address.removeprefix("@/"),
        "name": kept.name,
    }
    if kept.width:
        told |= {"width": kept.width, "height": kept.height}
    return JsonResponse(told)


class BoundedFile(TemporaryFileUploadHandler):
    """Keeps files on disk while they arrive, and of those that are too large nothing.

    The form is read to its end all the same: most clients look for the answer only when they have sent everything.
    """

    def __init__(self, request: HttpRequest, max_bytes: int) -> None:
        super().__init__(request)
        self._max_bytes, self._read, self._is_too_large = max_bytes, 0, False
        self._opened: list[Any] = []
        self._has_more = False  # than one file, of which the others are not kept

    def new_file(self, *arguments: Any, **options: Any) -> None:
        if self._opened:
            self._has_more = True
            raise StopUpload(connection_reset=False)
        super().new_file(*arguments, **options)
        self._opened.append(self.file)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        self._read += len(raw_data)
        if self._read > self._max_bytes:
            self._is_too_large = True
            raise StopUpload(connection_reset=False)
        super().receive_data_chunk(raw_data, start)

    def only(self, request: HttpRequest) -> UploadedFile:  # type: ignore[type-arg]
        """The one file of the form. Raises TooLarge and InvalidInput."""
        files = [file for name in request.FILES for file in request.FILES.getlist(name)]
        if self._is_too_large:
            raise file_too_large(self._max_bytes)
        if self._has_more:
            raise InvalidInput("one_file_expected", "Send one file at a time.")
        if not files:
            raise InvalidInput("file_expected", "No file has arrived.")
        return files[0]

    def forget(self) -> None:
        """Close, and so delete, what is left on disk."""
        for file in self._opened:
            file.close()


def _told(message: str, status: int) -> HttpResponse:
    return JsonResponse({"message": message}, status=status)
