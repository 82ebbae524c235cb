"""Previews for frames: the page of the site (`CONTENT_PAGE`), or a plain page if the site has no template for it.

The plain page has a policy that allows any style but no scripts, forms or navigation. Both have their own address: a
srcdoc frame would inherit the admin's policy, which forbids inline styles.
"""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.template.loader import render_to_string
from django.utils.module_loading import import_string
from django.utils.safestring import mark_safe

from channels_app.record_links import has_links, with_current_addresses
from channels_app.tree import read_tree
from contents.models import Content, ContentBody
from contents.services.previews import FRAME_SECONDS, Maker, Token, page_address, share, stored_content, website_address
from core.admin.formatting import format_date_time
from core.admin.views import seen_record
from core.lib.errors import InvalidInput
from core.lib.markup import Cleaned, clean_body
from media_library.replaced import marker_of
from media_library.uploads import media_root_url
from sites.attributes import preview_address
from sites.models import Site

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
    if has_links(body):
        body = with_current_addresses(body, read_tree(site_id))
    shown = mark_safe(_OF_THE_SITE.sub(rf"\g<1>{media_root_url(site_id)}", body))  # noqa: S308 - the headers forbid scripts
    html = render_to_string(template, {**context, "body": shown}, request)
    return HttpResponse(marker_of(site_id)(html), headers=_HEADERS)


def body_view(page: Any, request: HttpRequest, pk: int) -> HttpResponse:
    content = seen_record(page, request, pk)
    return body_answer(request, content.site_id, body_of(content))


def cleaned(body: str) -> Cleaned:
    """Clean the body and list removed markup; a body that cannot be cleaned stays unchanged."""
    try:
        return clean_body(body)
    except InvalidInput:
        return Cleaned(body, ())


def shown_view(page: Any, request: HttpRequest, pk: int) -> HttpResponse:
    content = seen_record(page, request, pk)
    content.text = body_of(content)
    return _show_plainly(request, content)


def page_view(page: Any, request: HttpRequest, pk: int) -> HttpResponse:
    """Show the public version of the content in its page or, with `version=draft`, its draft."""
    content = seen_record(page, request, pk)
    is_public = request.GET.get("version") != "draft"
    if not preview_address(content.site):
        return show_in_page(request, stored_content(content.site_id, content.pk, is_public=is_public))
    maker = Maker.in_person(request.user)
    if _may_share(page, request, content):
        token = Token(maker, content.site_id, content.pk, is_public=is_public)
    else:
        # Until it ends, the address shows the content to anyone.
        token = share(content, maker, is_public=is_public, seconds=FRAME_SECONDS)
    return HttpResponseRedirect(website_address(content.site, content, token))


def share_view(page: Any, request: HttpRequest, pk: int) -> JsonResponse:
    """Return as JSON the address of a page that shows the stored content and its draft to anyone for an hour."""
    content = seen_record(page, request, pk)
    if request.method != "POST" or not _may_share(page, request, content):
        raise Http404
    address = page_address(content.site, content, share(content, Maker.in_person(request.user)))
    return JsonResponse({"address": request.build_absolute_uri(address)})


def _may_share(page: Any, request: HttpRequest, content: Content) -> bool:
    return bool(page.has_change_permission(request, content) or page.allows(request, "approve", content))


def frames_context(request: HttpRequest, site: Site) -> dict[str, str]:
    """For templates with frames: the origin of the website that shows previews, "" for our own, and their sandbox.

    A website has its own origin, so that it can load from there, but never the admin's.
    """
    parts = urlsplit(preview_address(site))
    origin = f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""
    is_other = parts.netloc not in {"", request.get_host()}
    sandbox = "allow-scripts allow-forms allow-same-origin" if is_other else "allow-scripts"
    return {"frame_origin": origin, "frame_sandbox": sandbox}


def allow_frames(response: HttpResponse, context: Mapping[str, str]) -> HttpResponse:
    """Add the website that shows previews to the page's policy."""
    if origin := context["frame_origin"]:
        response._csp_update = {"frame-src": [origin]}  # type: ignore[attr-defined]  # as csp.decorators.csp_update
    return response


def show_in_page(request: HttpRequest, content: Content) -> HttpResponse:
    """Show the content, which may differ from the stored one, in its page; plainly if there is no template for it."""
    response: HttpResponse | None = import_string(settings.CONTENT_PAGE)(request, content)
    return response or _show_plainly(request, content)


def _show_plainly(request: HttpRequest, content: Content) -> HttpResponse:
    context = {name: getattr(content, name) for name in _MEMBERS}
    for name in _ADDRESSES:
        text = getattr(content, name).strip()
        context[name] = media_root_url(content.site_id) + text[2:] if text.startswith("@/") else text
    context["at"] = format_date_time(content.add_date)
    # An uncleanable body is harmless here; the form reports why it cannot be stored.
    return body_answer(request, content.site_id, cleaned(content.text).text, "contents/writing/preview.html", **context)
