"""Receives single files that scripts of a page send; responds with JSON."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any, TypeAlias

from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import StopUpload, TemporaryFileUploadHandler
from django.http import HttpRequest, HttpResponse, JsonResponse, UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt, csrf_protect

from core.admin.error_messages import tell
from core.admin.large_forms import takes_files
from core.admin.places import Places
from core.lib.errors import InvalidInput, ServiceError
from core.rest.errors import status_of
from media_library.admin.chooser import read_kind
from media_library.branches import library_places
from media_library.folders import upload_folder
from media_library.uploads import file_too_large, keep, media_root_url, most_bytes
from sites.models import Site

Store: TypeAlias = "Callable[[HttpRequest, Site, UploadedFile[Any]], dict[str, Any]]"


def upload_view(
    pages: Any, may: Callable[[HttpRequest, int], bool], store: Store, listed: Callable[..., Any] | None = None
) -> Callable[..., HttpResponse]:
    """Return a view: a POST stores its file and responds with what `store` returns, a GET with what `listed` returns.

    `may` decides about the request and the id of the site. The view checks the CSRF token last: for it Django would
    read the form by its default handlers.
    """

    @takes_files()  # BoundedFile enforces the site's limit
    @csrf_exempt
    def upload(request: HttpRequest, site_id: int) -> HttpResponse:
        if not pages.admin_site.has_permission(request):
            return _told(_("Your session has ended; sign in again."), HTTPStatus.UNAUTHORIZED)
        site = Site.objects.filter(pk=site_id).first() if may(request, site_id) else None
        if site is None:
            return _told(_("You may not upload files to this site."), HTTPStatus.NOT_FOUND)
        try:
            if request.method == "GET" and listed is not None:
                return JsonResponse(listed(request, site))
            if request.method != "POST":
                return _told(_("No file was received."), HTTPStatus.METHOD_NOT_ALLOWED)
            return _received(request, site, store)
        except ServiceError as refusal:
            return _told(tell(refusal), status_of(refusal))

    return upload


def _received(request: HttpRequest, site: Site, store: Store) -> HttpResponse:
    file = BoundedFile(request, most_bytes(site))
    request.upload_handlers = [file]
    try:
        answer = _protected(request, site, file, store)
    except (MultiPartParserError, UnreadablePostError, SuspiciousOperation, RequestDataTooBig):
        return _told(_("The upload is incomplete; try again."), HTTPStatus.BAD_REQUEST)
    finally:
        file.forget()
    if answer.status_code == HTTPStatus.FORBIDDEN:  # CSRF failure
        return _told(_("The page has expired; reload it."), HTTPStatus.FORBIDDEN)
    return answer


@csrf_protect
def _protected(request: HttpRequest, site: Site, file: "BoundedFile", store: Store) -> HttpResponse:
    return JsonResponse(store(request, site, file.only(request)))


def store_by_kind(
    writing: Callable[[Any], Places],
    request: HttpRequest,
    site: Site,
    sent: UploadedFile,  # type: ignore[type-arg]
) -> dict[str, Any]:
    """Store the file for the purpose that the form names; of a person limited to branches, in their first folder.

    `writing` returns the places of people without the right to upload to the library. Raises as `keep`.
    """
    places = library_places(request.user, site.pk, writing(request.user), "add")
    kept = keep(
        site,
        read_kind(request.POST.get("kind")),
        sent,
        lambda: None if places.covers_site(site.pk) else upload_folder(site.pk, places),
    )
    shown = media_root_url(site.pk) + kept.address.removeprefix("@/")
    size = {"width": kept.width, "height": kept.height} if kept.width else {}
    return {"address": kept.address, "shown": shown, "name": kept.name, **size}


def _told(message: str, status: int) -> HttpResponse:
    return JsonResponse({"message": message}, status=status)


class BoundedFile(TemporaryFileUploadHandler):
    """Discards files that are too large; reads on to the end, since most clients send everything before reading."""

    def __init__(self, request: HttpRequest, max_bytes: int) -> None:
        super().__init__(request)
        self._max_bytes, self._read, self._is_too_large = max_bytes, 0, False
        self._opened: list[Any] = []
        self._has_more = False  # further files were discarded

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
        """The only file. Raises TooLarge and InvalidInput."""
        files = [file for name in request.FILES for file in request.FILES.getlist(name)]
        if self._is_too_large:
            raise file_too_large(self._max_bytes)
        if self._has_more:
            raise InvalidInput("one_file_expected", "Send one file at a time.")
        if not files:
            raise InvalidInput("file_expected", "No file was received.")
        return files[0]

    def forget(self) -> None:
        for file in self._opened:
            file.close()
