from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from core.lib.errors import ServiceError, attempt
from core.rest.conditional import compare, keep, use
from core.rest.errors import body_of, status_of
from core.rest.fields import read_boolean
from core.rest.json import Body
from core.rest.names import raise_if_two_spellings
from core.rest.views import ApiView, raise_if_body_too_large
from media_library.api.files import MAX_JSON, Sent, is_form, read_form, read_json, read_one
from media_library.api.query import read_page
from media_library.api.records import find_site, record_of, represent
from media_library.api.serializers import MediaChangesSerializer, MediaTextsSerializer
from media_library.api.uses import read_uses
from media_library.changes import Replacement, find, require_folder, require_same_type, update_file
from media_library.creation import Created, Result, create_files
from media_library.filling import is_filling
from media_library.trash import trash_file
from media_library.uploads import prepare_by_type
from sites.models import require_site


class MediaListView(ApiView):
    """`/media/{siteId}`"""

    required_scope = "Media"
    stores_by_itself = True  # files are fetched, drawn and stored before the change

    def get(self, request: Request, site_id: int) -> Response:
        site = find_site(site_id)
        files, members = read_page(request, site_id)
        records = [record_of(file, site.web_url) for file in files]
        compare(request, "media", records, members)
        return Response(Body(value=records, **members))

    def post(self, request: Request, site_id: int) -> Any:
        site, is_copy = find_site(site_id), _wants_copy(request)
        if is_form(request):
            texts, files = read_form(request)
            values = MediaTextsSerializer.read(texts).values
        else:
            raise_if_body_too_large(request, MAX_JSON)
            values = MediaChangesSerializer.read(self.body).values
            files = [read_json(self.body, site)]
        answer = partial(_answer_one if len(files) == 1 else _answer_each, site.web_url)

        def store(change: Callable[[], list[Result]]) -> Any:
            return self.store(lambda: answer(change()))

        with _closing(files):
            require_folder(site_id, values.get("folder_id", 0))
            uploads = [attempt(prepare_by_type, site, file) for file in files]
            return create_files(uploads, values, is_copy=is_copy, store=store)

    def require_place(self, site_id: int) -> None:
        require_site(site_id)


class MediaFileView(ApiView):
    """`/media/{siteId}/{id}`"""

    required_scope = "Media"

    def get(self, request: Request, site_id: int, media_id: int) -> Response:
        site = find_site(site_id)
        tag, record = represent(site.web_url, find(site_id, media_id))
        use(request, tag)
        return Response(record)

    def put(self, request: Request, site_id: int, media_id: int) -> Response:
        site = find_site(site_id)
        file = find(site_id, media_id)  # 404 comes before the body
        values = MediaChangesSerializer.read_change(self.body, partial(record_of, file, site.web_url)).values
        precondition = self.if_match(partial(represent, site.web_url))
        tag, record = represent(site.web_url, update_file(site_id, media_id, values, precondition))
        keep(request, tag)
        return Response(record)

    def delete(self, request: Request, site_id: int, media_id: int) -> Response:
        site = find_site(site_id)
        trashed = trash_file(site_id, media_id, self.if_match(partial(represent, site.web_url)))
        return Response(record_of(trashed, site.web_url))


class MediaBytesView(ApiView):
    """`POST /media/{siteId}/{id}/file`"""

    required_scope = "Media"
    stores_by_itself = True  # see MediaListView

    def post(self, request: Request, site_id: int, media_id: int) -> Any:
        site = find_site(site_id)
        file = find(site_id, media_id)  # 404 comes before the body
        sent = read_one(request, lambda: self.body, site)
        precondition = self.if_match(partial(represent, site.web_url))

        def change() -> Response:
            tag, record = represent(site.web_url, replacement.apply(media_id, precondition))
            keep(request, tag)
            return Response(record)

        with _closing([sent]):
            upload = prepare_by_type(site, sent)
            require_same_type(file, upload)
            with Replacement(upload) as replacement:
                return self.store(change)

    def require_place(self, site_id: int, media_id: int) -> None:
        require_site(site_id)
        find(site_id, media_id)


class MediaUsesView(ApiView):
    """`/media/{siteId}/{id}/uses`"""

    required_scope = "Media"

    def get(self, request: Request, site_id: int, media_id: int) -> Response:
        require_site(site_id)
        uses, members = read_uses(request, find(site_id, media_id))
        members["isComplete"] = not is_filling()
        compare(request, "media_uses", uses, members)
        return Response(Body(value=uses, **members))


@contextmanager
def _closing(files: list[Sent]) -> Iterator[None]:
    try:
        yield
    finally:
        for file in files:
            file.close()


def _wants_copy(request: Request) -> bool:
    sent = {name: str(text) for name, text in request.query_params.items() if name.casefold() == "copy" and text}
    raise_if_two_spellings(sent)
    return any(read_boolean(text, name) for name, text in sent.items())


def _answer_one(web_url: str, results: list[Result]) -> Response:
    (result,) = results
    if isinstance(result, ServiceError):
        raise result
    return Response(Body(value=record_of(result.file, web_url), isExisting=result.is_existing))


def _answer_each(web_url: str, results: list[Result]) -> Response:
    return Response(Body(results=[_shown(web_url, each) for each in results]))


def _shown(web_url: str, result: Result) -> dict[str, Any]:
    if isinstance(result, Created):
        return {"status": 200, "file": record_of(result.file, web_url), "isExisting": result.is_existing}
    return {"status": status_of(result), "error": body_of(result)}
