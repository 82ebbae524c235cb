"""Files of a site's library: list, upload, change, replace, delete, and where they are used."""

from collections.abc import Mapping
from typing import Any, TypedDict, Unpack

from cms_client import operations
from cms_client.answers import page_of, record_of, upload_of, uses_of
from cms_client.binding import D, Resource, operation, walk
from cms_client.exchange import Known
from cms_client.forms import File, Form
from cms_client.forms import Progress as Sent
from cms_client.operations import Operation
from cms_client.records import Media, Page, Rendition, Upload, Uses
from cms_client.walking import Plan, Progress, Walk, cursor_plan
from cms_client.wire import Members, check_names


class MediaFilters(TypedDict, total=False):
    """Filters for files. All given filters must match.

    kind: image, video, audio or document
    folder: files in the folder with this id; 0 for files in none
    text: files with each of these words in their title, path, alternative text, credit or tags
    withoutAlternativeText: True for pictures without an alternative text, False for files with one
    uploader: files of the uploader with this user name
    since, until: files uploaded in this period, such as 2026-11-20
    """

    kind: str
    folder: int
    text: str
    withoutAlternativeText: bool
    uploader: str
    since: str
    until: str


class MediaFiles(Resource[D]):
    """Operations of `client.media`. They need a key with the scope `Media`.

    A file to upload is a path, an object opened for reading bytes, or the bytes. Paths and objects are read while they
    are sent. `on_progress(sent, total)` is called with the bytes of the request so far; a retry begins again.
    """

    @operation
    def list(
        self, site_id: int, *, top: int | None = None, skip: int | None = None, **filters: Unpack[MediaFilters]
    ) -> Operation[Page[Media]]:
        """Return a page of the files that match all filters, newest first; by default the first 20."""
        return _list(site_id, filters, top=top, skip=skip)

    @walk
    def iterate(
        self, site_id: int, *, per_page: int = 100, progress: Progress | None = None, **filters: Unpack[MediaFilters]
    ) -> Walk[Media]:
        """Iterate over the files that match all filters, newest first; new files do not disturb the iteration."""

        def plan(_: Known) -> Plan[Media]:
            return cursor_plan(lambda cursor: _list(site_id, filters, top=per_page, cursor=cursor))

        return Walk(plan, progress, per_page)

    @operation
    def get(self, site_id: int, media_id: int, *, if_none_match: str | None = None) -> Operation[Media]:
        """Return a file. Raises NotModified if its ETag still matches `if_none_match`."""
        return operations.get("media", site_id, media_id, read=record_of, if_none_match=if_none_match)

    @operation
    def upload(
        self,
        site_id: int,
        file: File,
        members: Members | None = None,
        *,
        name: str | None = None,
        copy: bool = False,
        on_progress: Sent | None = None,
        idempotency_key: str | None = None,
    ) -> Operation[Upload]:
        """Upload a file with `title`, `alternativeText`, `credit`, `tags` and `folderId`.

        `name` is needed for bytes. With `copy`, the file is stored even if the site has the same bytes.
        """
        form = Form(file, name, members or {}, on_progress)
        made = operations.send("media", site_id, read=upload_of, form=form, key=idempotency_key)
        return made.with_query(copy=copy or None)

    @operation
    def upload_from_url(
        self,
        site_id: int,
        source_url: str,
        members: Members | None = None,
        *,
        name: str | None = None,
        copy: bool = False,
        idempotency_key: str | None = None,
    ) -> Operation[Upload]:
        """Let the server fetch a file from an address of the public Internet; `members` may have `focalPoint`, too."""
        body = {**(members or {}), "sourceUrl": source_url} | ({} if name is None else {"name": name})
        made = operations.post("media", site_id, read=upload_of, body=body, key=idempotency_key)
        return made.with_query(copy=copy or None)

    @operation
    def update(self, site_id: int, media_id: int, members: Members, *, if_match: str | None = None) -> Operation[Media]:
        """Update these members, with None no focal point. Raises PreconditionFailed if `if_match` is outdated."""
        return operations.put("media", site_id, media_id, read=record_of, body=members, if_match=if_match)

    @operation
    def replace(
        self,
        site_id: int,
        media_id: int,
        file: File,
        *,
        name: str | None = None,
        on_progress: Sent | None = None,
        if_match: str | None = None,
        idempotency_key: str | None = None,
    ) -> Operation[Media]:
        """Replace the bytes of a file by those of a file of the same type; its address stays."""
        form = Form(file, name, {}, on_progress)
        made: Operation[Media] = operations.send(
            "media", site_id, media_id, "file", read=record_of, form=form, key=idempotency_key
        )
        return made.with_headers(If_Match=if_match)

    @operation
    def delete(self, site_id: int, media_id: int, *, if_match: str | None = None) -> Operation[Media]:
        """Move a file to the trash and return it."""
        return operations.delete("media", site_id, media_id, read=record_of, if_match=if_match)

    @operation
    def rendition(
        self,
        site_id: int,
        media_id: int,
        *,
        w: int | None = None,
        h: int | None = None,
        fit: str | None = None,
        format: str | None = None,
        q: int | None = None,
        if_none_match: str | None = None,
    ) -> Operation[Rendition]:
        """Return the signed address of a picture with at most `w` and `h` pixels, which need not be listed ones.

        With `fit="cover"`, the picture is cut to exactly these sides. `format`: auto, webp, avif or jpeg; `q`: quality.
        """
        query = {"w": w, "h": h, "fit": fit, "format": format, "q": q}
        return operations.get(
            "media", site_id, media_id, "rendition", read=record_of, query=query, if_none_match=if_none_match
        )

    @operation
    def uses(self, site_id: int, media_id: int, *, cursor: str = "", top: int = 100) -> Operation[Uses]:
        """Return a page of the texts that have the address of a file; `next_cursor` leads to the next page."""
        query = {"cursor": cursor, "top": top}
        return operations.get("media", site_id, media_id, "uses", read=uses_of, query=query)


def _list(site_id: int, filters: Mapping[str, Any], **page: object) -> Operation[Page[Media]]:
    check_names(filters, MediaFilters)
    period = {"from": filters.get("since"), "to": filters.get("until")}
    query = {name: value for name, value in filters.items() if name not in {"since", "until"}} | period | page
    return operations.get("media", site_id, read=page_of, query=query)
