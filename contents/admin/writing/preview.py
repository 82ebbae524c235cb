"""What somebody has typed, or what is stored, shown as a page of its own that can do nothing and is kept by nobody."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse

from cms_api.admin.shown import shown_moment
from cms_api.lib.errors import InvalidInput
from cms_api.lib.markup import Cleaned
from cms_api.rest.cleaning import clean_body
from cms_api.rest.fields import read_date_time
from contents.admin.bodies import body_answer
from contents.models import Content
from sites.uploads import shown_root

_MEMBERS = ("title", "sub_title", "author", "source", "summary")
_ADDRESSES = ("image_url", "video_url", "file_url")


def preview_view(page: Any, request: HttpRequest, site_id: int) -> HttpResponse:
    """What has been typed, for whoever writes in the site; without anything typed, an empty page."""
    if not page.may_write_in(request, site_id):
        raise Http404
    typed = request.POST
    return _page(request, site_id, typed, _date(typed.get("add_date", "")), typed.get("body", ""))


def answer_stored(request: HttpRequest, content: Content, body: str) -> HttpResponse:
    """The page of a content with the body as they are stored, but for what the body could do."""
    members = {name: getattr(content, name) for name in (*_MEMBERS, *_ADDRESSES)}
    return _page(request, content.site_id, members, shown_moment(content.add_date), body)


def _page(request: HttpRequest, site_id: int, members: Mapping[str, str], at: str, body: str) -> HttpResponse:
    root = shown_root(site_id)
    texts = {name: members.get(name, "") for name in _MEMBERS}
    written = {name: members.get(name, "").strip() for name in _ADDRESSES}
    addresses = {name: root + text[2:] if text.startswith("@/") else text for name, text in written.items()}
    context = {**texts, **addresses, "at": at}
    # What cannot be cleaned can do nothing here either; the form tells why it is not stored.
    return body_answer(request, site_id, cleaned(body).text, "contents/writing/preview.html", **context)


def cleaned(body: str) -> Cleaned:
    """The body as the page shows it, and the names of what that leaves out; one that cannot be cleaned as it is."""
    try:
        return clean_body(body)
    except InvalidInput:
        return Cleaned(body, ())


def _date(text: str) -> str:
    try:
        at: datetime | None = read_date_time(text, "") if text else None
    except InvalidInput:
        return ""
    return shown_moment(at)
