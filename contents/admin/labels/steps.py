"""Another name for what many contents carry, or none: asked for once, then done step by step, a request each."""

from typing import Any

from django.contrib import messages
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils.functional import Promise
from django.utils.http import urlencode
from django.utils.translation import gettext as _now

from cms_api.admin.numbers import read_number
from cms_api.admin.pages import RecordPages
from cms_api.admin.refusals import tell
from cms_api.lib.errors import ServiceError
from contents.lists.channel_stats import count_listed
from contents.services import labels
from contents.services.labels import Names

# Contents that one request changes: a second or two.
STEP = 1000


class NameSteps(RecordPages):
    """The half of the pages of groups and of tags that renames, joins and removes them."""

    names: Names
    words: dict[str, str | Promise]

    def get_urls(self) -> list[URLPattern]:
        """Those of records, and the one that gives contents another name."""
        name = f"{self.opts.app_label}_{self.opts.model_name}_rename"
        view = self.admin_site.admin_view(self.rename_view)
        return [path("<int:pk>/rename/", view, name=name), *super().get_urls()]

    def rename_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Ask, and on each POST give some contents the name; a page in between goes on by itself or by its button."""
        row = self._seen(request, str(pk))
        if not self.has_change_permission(request, row):
            raise PermissionDenied
        sent = request.POST if request.method == "POST" else request.GET
        return self._replace(request, row, sent.get("name", "").strip())

    def delete_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        """The same without a new name."""
        row = self._seen(request, object_id)
        if not self.has_delete_permission(request, row):
            raise PermissionDenied
        return self._replace(request, row, None)

    def _replace(self, request: HttpRequest, row: Any, new: str | None) -> HttpResponse:
        done = read_number(request.POST.get("done")) or 0
        if request.method == "POST":
            try:
                replaced, is_finished = labels.replace_name(self.names, row.pk, new, STEP)
            except ServiceError as refusal:
                messages.error(request, tell(refusal))
                return self._back_to_list()
            if is_finished:
                messages.success(request, self._told(row, new, done + replaced))
                return self._back_to_list(urlencode({"site__id__exact": row.site_id}))
            if replaced:
                return self._ask(request, row, new, done + replaced, goes_on=True)
        return self._ask(request, row, new, done)

    def _ask(
        self, request: HttpRequest, row: Any, new: str | None, done: int, *, goes_on: bool = False
    ) -> HttpResponse:
        left = count_listed([row.pk], self.names.kind).get(row.pk, 0)
        same = self.names.rows().filter(**{"site_id": row.site_id, self.names.column: new}).exclude(pk=row.pk)
        context = {
            "title": self.words["remove"] if new is None else self.words["rename"],
            "original": row,
            "old": self.names.name_of(row),
            "new": new,
            "joins": new is not None and not done and same.exists(),
            "left": left,
            "done": done,
            "all": left + done,
            "goes_on": goes_on,
            "words": self.words,
        }
        return self._answer(request, "replace", context)

    def _told(self, row: Any, new: str | None, number: int) -> str:
        told = {"old": self.names.name_of(row), "new": new, "count": number}
        if new is None:
            return _now("“%(old)s” was removed; contents that lost it: %(count)d.") % told
        return _now("“%(old)s” is “%(new)s” now; contents that were changed: %(count)d.") % told

    def _seen(self, request: HttpRequest, object_id: str) -> Any:
        row = self.get_object(request, unquote(object_id))
        if row is None or not self.has_view_permission(request, row):
            raise Http404
        return row

    def _answer(self, request: HttpRequest, name: str, context: dict[str, Any]) -> HttpResponse:
        shared = self.admin_site.each_context(request) | {"opts": self.opts}
        return TemplateResponse(request, f"contents/labels/{name}.html", shared | context)
