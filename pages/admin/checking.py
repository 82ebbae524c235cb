"""Views for the template editor: check a draft, preview it, and list the vocabulary for completion.

A draft runs its scripts, so browsers show its page in an origin of its own.
"""

import re
from collections.abc import Iterable
from html import escape
from typing import Any, NamedTuple

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from channels_app.tree import read_tree
from cms_api.admin.numbers import read_number
from cms_api.lib.errors import InvalidInput
from pages.admin.drafts import PageForm
from pages.admin.problems import tell_problem
from pages.admin.vocabulary import words
from pages.checking import check_text, names_in
from pages.engine.nodes import Problem
from pages.engine.scope import TooMuch
from pages.engine.template import MAX_CHARACTERS
from pages.models import Template, TemplateKind
from pages.views import SANDBOX
from sites.admin.choosing import seen_site

_HEADERS = {
    "Content-Security-Policy": f"{SANDBOX}; frame-ancestors 'self'",
    "X-Frame-Options": "SAMEORIGIN",
    "Referrer-Policy": "strict-origin-when-cross-origin",
    "Cross-Origin-Opener-Policy": "unsafe-none",
}
# After these, a base is inside the head and before what refers to it.
_BEGINNING = re.compile(
    r"(?:\s{0,999}<!doctype\b[^<>]{0,999}>)?(?:[^<]{0,999}<html\b[^<>]{0,999}>)?(?:\s{0,999}<head\b[^<>]{0,999}>)?",
    re.IGNORECASE,
)


class Draft(NamedTuple):
    kind: str
    name: str
    text: str
    form: PageForm


def check_view(page: Any, request: HttpRequest, site_id: int) -> HttpResponse:
    """Return as JSON the errors of the draft, each with message, line and column (0: not of this text).

    With `on_page`, also those that only its page shows.
    """
    draft = _read(page, request, site_id)
    if len(draft.text) > MAX_CHARACTERS:
        told = _("A template has at most %(count)d characters.") % {"count": MAX_CHARACTERS}
        return _answer([Problem(told, 1, 1)])
    found = check_text(draft.kind, draft.text, names_in(site_id))
    if "on_page" in request.POST:
        found += [problem for problem in _problems_on_page(draft) if problem not in found]
    return _answer(found)


def preview_view(page: Any, request: HttpRequest, site_id: int) -> HttpResponse:
    """Return the page that the draft makes, or a page that tells why there is none."""
    draft = _read(page, request, site_id)
    try:
        if not draft.form.is_valid():
            raise InvalidInput("no_page", _("Choose a page."))
        html = draft.form.page_of(draft.name, draft.text[:MAX_CHARACTERS]).html
        base = request.build_absolute_uri(draft.form.address())
    except (InvalidInput, TooMuch) as refusal:
        response = render(request, "pages/no_preview.html", {"told": tell_problem(str(refusal))})
    else:
        beginning = _BEGINNING.match(html)
        end = beginning.end() if beginning else 0
        response = HttpResponse(f'{html[:end]}<base href="{escape(base)}">{html[end:]}'.encode(errors="replace"))
    for name, value in _HEADERS.items():
        response.headers[name] = value
    return response


def vocabulary_view(page: Any, request: HttpRequest) -> HttpResponse:
    return JsonResponse(words())


def _read(page: Any, request: HttpRequest, site_id: int) -> Draft:
    """Return the draft that was sent. Raises Http404 unless the administrator may change templates of the site."""
    site = seen_site(request, site_id, page.places(request.user, "change"))
    number, kind = read_number(request.GET.get("template")), request.GET.get("kind")
    template = Template.objects.filter(pk=number, site=site).first() if number else None
    kind = template.kind if template else kind
    if kind not in TemplateKind.values:
        raise Http404
    if request.method != "POST":
        raise Http404
    text = request.POST.get("text", "").replace("\r\n", "\n")
    form = PageForm(read_tree(site.pk), str(kind), template, request.POST)
    return Draft(str(kind), request.POST.get("name", ""), text, form)


def _problems_on_page(draft: Draft) -> Iterable[Problem]:
    if not draft.form.is_valid():
        return []
    try:
        return draft.form.page_of(draft.name, draft.text).problems
    except (InvalidInput, TooMuch) as refusal:
        return [Problem(str(refusal), 0, 0)]


def _answer(problems: Iterable[Problem]) -> JsonResponse:
    shown = [
        {
            "message": tell_problem(each.message),
            "line": 0 if each.file else each.line,
            "column": each.column,
            "file": each.file,
        }
        for each in problems
    ]
    return JsonResponse({"problems": shown})
