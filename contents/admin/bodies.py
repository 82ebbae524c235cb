"""Bodies of contents as pages of their own, which can do nothing."""

import re
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.safestring import mark_safe

from cms_api.admin.views import seen_record
from contents.models import Content, ContentBody
from sites.uploads import shown_root

# What writers put into a body may look like anything and do nothing: no script, no form, no request but for pictures,
# films and fonts. The policy of our pages, which a frame without an address of its own inherits, forbids its styles.
_HEADERS = {
    "Content-Security-Policy": "sandbox; default-src 'none'; img-src * data:; media-src *; style-src 'unsafe-inline'; "
    "font-src *; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
    "X-Frame-Options": "SAMEORIGIN",
}
_OF_THE_SITE = re.compile(r"""(\b(?:href|src|poster)\s*=\s*["']?)@/""", re.IGNORECASE)


def body_answer(
    request: HttpRequest, site_id: int, body: str, template: str = "contents/writing/body.html", **context: Any
) -> HttpResponse:
    """The body as a page for a frame, with the files of its site."""
    shown = mark_safe(_OF_THE_SITE.sub(rf"\g<1>{shown_root(site_id)}", body))  # noqa: S308 - the headers allow it nothing
    return HttpResponse(render_to_string(template, {**context, "body": shown}, request), headers=_HEADERS)


def body_of(content: Content) -> str:
    """The stored body; empty if there is none."""
    return ContentBody.objects.filter(content=content).values_list("text", flat=True).first() or ""


def body_view(page: Any, request: HttpRequest, pk: int) -> HttpResponse:
    """The body as a page of its own, which can do nothing, for whoever may see the content."""
    content = seen_record(page, request, pk)
    return body_answer(request, content.site_id, body_of(content))
