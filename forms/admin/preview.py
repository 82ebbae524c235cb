"""The preview beside the page of a form: the unsaved form as visitors will see it."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.safestring import mark_safe

from core.admin.numbers import read_number
from core.admin.views import seen_record
from forms.admin.inputs import VisitorForm, sent_rows
from forms.models import Form
from forms.records import record_of
from pages.engine.elements.forms import own_fields
from sites.admin.choosing import seen_site

_HEADERS = {
    "Content-Security-Policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'",
    "X-Frame-Options": "SAMEORIGIN",
}


def preview_view(page: Any, request: HttpRequest, site_id: int) -> HttpResponse:
    """Show the submitted form of the site, `form` or a new one, with its valid values."""
    if request.method not in {"HEAD", "POST"}:
        raise Http404
    site = seen_site(request, site_id, page.places(request.user, "add", "change"))
    form, copied = (_named(page, request, name) for name in ("form", "copy"))
    if form is not None and form.site_id != site.pk:
        raise Http404
    if request.method == "HEAD":  # the page asks first, since it cannot detect an error in its frame
        return HttpResponse()
    form = form or Form(site=site)
    VisitorForm(request.POST, instance=form).is_valid()
    rows = [row for row in sent_rows(request.POST, form, copied) if not row.is_blank]
    for row in rows:
        row.is_valid()
        row.instance.key = row.instance.key or str(row.prefix)
    fields = [row.instance for row in rows if row.instance.is_visible]
    # own_fields has escaped it.
    shown = mark_safe(own_fields(record_of(form, fields)))  # noqa: S308 # nosec B308 B703
    context = {"title": form.title or form.name, "language": translation.get_language(), "form": shown}
    return HttpResponse(render_to_string("forms/sent.html", context), headers=_HEADERS)


def _named(page: Any, request: HttpRequest, name: str) -> Form | None:
    number = read_number(request.GET.get(name))
    found: Form | None = seen_record(page, request, number) if number else None
    return found
