"""Pages for frames of the admin and for links: drafts of templates, and contents with values that no visitor sees.

Their scripts run, since many templates need them, but in an origin of their own (`SANDBOX`): they reach neither the
session of the administrator nor any response of the service.
"""

import re
from html import escape

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render as render_template

from channels_app.tree import Tree, read_tree
from contents.models import Content
from contents.navigation.page_urls import record_of
from contents.wire.records import Record
from core.lib.errors import ServiceError
from pages.admin.problems import tell_problem
from pages.engine.scope import TooMuch
from pages.models import TemplateKind
from pages.rendering import PageRequest, render
from pages.site_facts import facts_of
from pages.site_source import SiteSource
from pages.views import SANDBOX

_HEADERS = {
    "Content-Security-Policy": f"{SANDBOX}; frame-ancestors 'self'",
    "X-Frame-Options": "SAMEORIGIN",
    "Referrer-Policy": "strict-origin-when-cross-origin",
    "Cross-Origin-Opener-Policy": "unsafe-none",
}
# After these, a base is inside the head and before elements that refer to it.
_BEGINNING = re.compile(
    r"(?:\s{0,999}<!doctype\b[^<>]{0,999}>)?(?:[^<]{0,999}<html\b[^<>]{0,999}>)?(?:\s{0,999}<head\b[^<>]{0,999}>)?",
    re.IGNORECASE,
)


def show_page(request: HttpRequest, html: str, address: str) -> HttpResponse:
    """Return the page; its relative addresses refer to this one."""
    beginning = _BEGINNING.match(html)
    end = beginning.end() if beginning else 0
    base = escape(request.build_absolute_uri(address))
    return _sandboxed(HttpResponse(f'{html[:end]}<base href="{base}">{html[end:]}'.encode(errors="replace")))


def show_refusal(request: HttpRequest, told: str) -> HttpResponse:
    return _sandboxed(render_template(request, "pages/no_preview.html", {"told": tell_problem(told)}))


def show_content(request: HttpRequest, content: Content) -> HttpResponse | None:
    """Return the page of a content as `read_whole` returns it, with values that may not be stored.

    None if its channel has no template for contents. Bypasses the page cache, and counts no visit.
    """
    tree = read_tree(content.site_id)
    channel = tree.channels.get(content.channel_id)
    template = facts_of(tree).find(TemplateKind.CONTENT, channel["contentTemplateId"]) if channel else None
    if channel is None or template is None:
        return None
    record = record_of(content)
    # A content that is a link has no address of its own.
    address = str(channel["navigationUrl"] if content.link_url else record["navigationUrl"])
    source = _SourceOf(tree, record, content.text)
    try:
        html = render(PageRequest(tree, template, channel, content.pk, 1, {}, address, record), source=source).html
    except (ServiceError, TooMuch) as refusal:
        return show_refusal(request, str(refusal))
    return show_page(request, html, address)


class _SourceOf(SiteSource):
    """The source of the page of a content, which may not be stored with these values."""

    def __init__(self, tree: Tree, record: Record, body: str) -> None:
        super().__init__(tree)
        self._own_id, self._own_body = record["id"], body
        self.keep([record])

    def _body(self, content_id: int) -> str:
        return self._own_body if content_id == self._own_id else super()._body(content_id)


def _sandboxed(response: HttpResponse) -> HttpResponse:
    for name, value in _HEADERS.items():
        response.headers[name] = value
    return response
