"""Previews for frames, under a policy that allows any style but no scripts, forms or navigation.

They have their own address: a srcdoc frame would inherit the admin's policy, which forbids inline styles.
"""

import re
from collections.abc import Mapping
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.safestring import mark_safe

from cms_api.admin.formatting import format_date_time
from cms_api.admin.views import seen_record
from cms_api.lib.errors import InvalidInput
from cms_api.lib.markup import Cleaned, clean_body
from cms_api.rest.fields import read_date_time
from contents.models import Content, ContentBody
from sites.uploads import media_root_url

_HEADERS = {
    "Content-Security-Policy": "sandbox; default-src 'none'; img-src * data:; media-src *; style-src 'unsafe-inline'; "
    "font-src *; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
    "X-Frame-Options": "SAMEORIGIN",
}
_OF_THE_SITE = re.compile(r"""(\b(?:href|src|poster)\s*=\s*["']?)@/""", re.IGNORECASE)
_MEMBERS = ("title", "sub_title", "author", "source", "summary")
_ADDRESSES = ("image_url", "video_url", "file_url")


def body_of(content: Content) -> str:
    return ContentBody.objects.filter(content=content).values_list("text", flat=True).first() or ""


def body_answer(
    request: HttpRequest, site_id: int, body: str, template: str = "contents/writing/body.html", **context: Any
) -> HttpResponse:
    shown = mark_safe(_OF_THE_SITE.sub(rf"\g<1>{media_root_url(site_id)}", body))  # noqa: S308 - the headers forbid scripts
    return HttpResponse(render_to_string(template, {**context, "body": shown}, request), headers=_HEADERS)


def body_view(page: Any, request: HttpRequest, pk: int) -> HttpResponse:
    content = seen_record(page, request, pk)
    return body_answer(request, content.site_id, body_of(content))


def cleaned(body: str) -> Cleaned:
    """Clean the body and list what was removed; a body that cannot be cleaned stays as it is."""
    try:
        return clean_body(body)
    except InvalidInput:
        return Cleaned(body, ())


def preview_view(page: Any, request: HttpRequest, site_id: int) -> HttpResponse:
    """Preview the submitted form; without data, an empty page."""
    if not page.may_write_in(request, site_id):
        raise Http404
    typed = request.POST
    try:
        at = format_date_time(read_date_time(date, "") if (date := typed.get("add_date", "")) else None)
    except InvalidInput:
        at = ""
    return _page(request, site_id, typed, at, typed.get("body", ""))


def shown_view(page: Any, request: HttpRequest, pk: int) -> HttpResponse:
    content = seen_record(page, request, pk)
    members = {name: getattr(content, name) for name in (*_MEMBERS, *_ADDRESSES)}
    return _page(request, content.site_id, members, format_date_time(content.add_date), body_of(content))


def _page(request: HttpRequest, site_id: int, members: Mapping[str, str], at: str, body: str) -> HttpResponse:
    context = {name: members.get(name, "") for name in _MEMBERS}
    for name in _ADDRESSES:
        text = members.get(name, "").strip()
        context[name] = media_root_url(site_id) + text[2:] if text.startswith("@/") else text
    # An uncleanable body is harmless here; the form reports why it cannot be stored.
    return body_answer(request, site_id, cleaned(body).text, "contents/writing/preview.html", **context, at=at)
