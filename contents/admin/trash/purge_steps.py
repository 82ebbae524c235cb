"""Deleting much for good: step by step, a request each; the page in between goes on by itself, or by its button."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from channels_app.admin.channels import count_words
from contents.services.trash import Purged

# Records that one request deletes: a second or two.
STEP = 2000
# Records that are counted to tell how many are left.
COUNTED = 10_000


def go_on(
    pages: Any, request: HttpRequest, title: str | Promise, back: str, sent: Mapping[str, str], done: Purged, left: int
) -> HttpResponse:
    """The page between two steps: what was deleted so far, how many records are left, and what the next step sends.

    `back` is where the page leads that is to stop.
    """
    context = {
        **pages.admin_site.each_context(request),
        "opts": pages.opts,
        "title": title,
        "back": back,
        "told": _("Permanently deleted so far: %(what)s.") % {"what": count_words(done.channels, done.contents)},
        "sent": {**sent, **{name: str(number) for name, number in done._asdict().items()}},
        "done": sum(done),
        "all": sum(done) + left if left <= COUNTED else 0,
    }
    return TemplateResponse(request, "contents/trash/step.html", context)
