"""Views for the template editor: check a draft, preview it, and list the vocabulary for completion."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import gettext as _

from channels_app.tree import read_tree
from core.admin.numbers import read_number
from core.lib.errors import InvalidInput
from pages.admin.drafts import PageForm
from pages.admin.previews import show_page, show_refusal
from pages.admin.problems import tell_problem
from pages.admin.vocabulary import words
from pages.checking import check_text, names_in
from pages.engine.nodes import Problem
from pages.engine.scope import TooMuch
from pages.engine.template import MAX_CHARACTERS
from pages.models import Template, TemplateKind
from sites.admin.choosing import seen_site


class Draft(NamedTuple):
    kind: str
    name: str
    text: str
    form: PageForm


def check_view(page: Any, request: HttpRequest, site_id: int) -> HttpResponse:
    """Return as JSON the errors of the draft, each with message, line and column (0: not of this text).

    With `on_page`, also errors that only its page shows.
    """
    draft = _read(page, request, site_id)
    if len(draft.text) > MAX_CHARACTERS:
        told = _("A template has at most %(count)d characters.") % {"count": MAX_CHARACTERS}
        return _answer([Problem(told, 1, 1)])
    found = check_text(draft.kind, draft.name, draft.text, names_in(site_id))
    if "on_page" in request.POST:
        found += [problem for problem in _problems_on_page(draft) if problem not in found]
    return _answer(found)


def preview_view(page: Any, request: HttpRequest, site_id: int) -> HttpResponse:
    """Return the page of the draft, or a page that explains why there is none."""
    if request.method == "HEAD":  # the editor asks first, since it cannot detect an error in its frame
        seen_site(request, site_id, page.places(request.user, "change"))
        return HttpResponse()
    draft = _read(page, request, site_id)
    try:
        if not draft.form.is_valid():
            raise InvalidInput("no_page", _("Choose a page."))
        html = draft.form.page_of(draft.name, draft.text[:MAX_CHARACTERS]).html
    except (InvalidInput, TooMuch) as refusal:
        return show_refusal(request, str(refusal))
    return show_page(request, html, draft.form.address())


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
