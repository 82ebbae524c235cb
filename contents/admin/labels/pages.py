"""The groups and tags of sites: how many contents carry each, and their forms."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Model
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, reverse
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.http import urlencode
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from cms_api.admin.numbers import read_number
from cms_api.admin.pages import POSITION, RecordPages
from cms_api.admin.refusals import tell
from cms_api.admin.views import render_page, route, seen_record
from cms_api.lib.errors import ServiceError
from contents.admin.labels.forms import GroupForm, NewGroupForm, TagForm
from contents.lists.channel_stats import count_listed
from contents.models import Content, ContentGroup, ContentTag
from contents.services import labels
from contents.services.labels import GROUPS, TAGS, Names
from sites.admin.site_filter import SiteFilter

# Contents that one request changes: a second or two.
STEP = 1000


class NamePages(RecordPages):
    """What pages of groups and of tags have in common; the rights are those of contents.

    Another name for what many contents carry, or none, is asked for once, then given step by step, a request each.
    """

    names: Names
    words: dict[str, str | Promise]
    form_of_row: type[TagForm] = TagForm
    site_lookup = "site_id"
    rights = {}
    actions = None
    list_select_related = ["site"]
    list_filter = [SiteFilter]
    sortable_by = ()

    def get_urls(self) -> list[URLPattern]:
        return [route(self, "<int:pk>/rename/", "rename", NamePages.rename_view), *super().get_urls()]

    def codename(self, act: str) -> str:
        return f"contents.{act}_content"

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        page: Any = self.admin_site.get_model_admin(Content)
        is_seen = obj is None or self.get_queryset(request).filter(pk=obj.pk).exists()
        return is_seen and page.has_view_permission(request)

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return self.allows(request, "change", obj)

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return self.allows(request, "change", obj)

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        shown = super().get_changelist_instance(request)
        rows: list[Any] = list(shown.result_list)
        counts = count_listed([row.pk for row in rows], self.names.kind)
        for row in rows:
            row.number_of_contents = counts.get(row.pk, 0)
        shown.result_list = rows
        return shown

    @admin.display(description=_("contents"))
    def contents_with_it(self, row: Any) -> str:
        if not row.number_of_contents:
            return "0"
        query = urlencode({"site__id__exact": row.site_id, self.parameter: self.names.name_of(row)})
        address = reverse("admin:contents_content_changelist")
        return format_html('<a href="{}?{}">{}</a>', address, query, row.number_of_contents)

    @property
    def parameter(self) -> str:
        return "group" if self.names is GROUPS else "tag"

    # ---- forms

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """The form; another name is asked for once more, with how many contents it concerns."""
        row = seen_record(self, request, object_id)
        if not self.has_change_permission(request, row):
            raise PermissionDenied
        form = self.form_of_row(request.POST or None, initial=self.initial_of(row))
        if request.method == "POST" and form.is_valid() and self._describe(request, row, form):
            name = form.cleaned_data["name"]
            if name == self.names.name_of(row):
                return self._back_to_list()
            return HttpResponseRedirect(f"{self._address('rename', row.pk)}?{urlencode({'name': name})}")
        return self._form(request, form, row)

    def initial_of(self, row: Any) -> dict[str, Any]:
        return {"name": self.names.name_of(row)}

    def describe(self, row: Any, given: dict[str, Any]) -> None:
        """Store what is no name."""

    def _describe(self, request: HttpRequest, row: Any, form: forms.Form) -> bool:
        try:
            self.describe(row, form.cleaned_data)
        except ServiceError as refusal:
            messages.error(request, tell(refusal))
            return False
        return True

    def _form(self, request: HttpRequest, form: forms.Form, row: Any = None) -> HttpResponse:
        title = self.names.name_of(row) if row else self.words["add"]
        context = {"title": title, "form": form, "original": row, "words": self.words}
        return render_page(self, request, "contents/labels/form.html", context)

    # ---- another name, or none

    def rename_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Ask, and on each POST give some contents the name; a page in between goes on by itself or by its button."""
        row = seen_record(self, request, pk)
        if not self.has_change_permission(request, row):
            raise PermissionDenied
        sent = request.POST if request.method == "POST" else request.GET
        return self._replace(request, row, sent.get("name", "").strip())

    def delete_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        """The same without a new name."""
        row = seen_record(self, request, object_id)
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
                told = {"old": self.names.name_of(row), "new": new, "count": done + replaced}
                sentence = (
                    _now("“%(old)s” was removed; contents that lost it: %(count)d.")
                    if new is None
                    else _now("“%(old)s” is “%(new)s” now; contents that were changed: %(count)d.")
                )
                messages.success(request, sentence % told)
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
        return render_page(self, request, "contents/labels/replace.html", context)


@admin.register(ContentGroup)
class ContentGroupPages(NamePages):
    """Groups, in their order."""

    names = GROUPS
    form_of_row = GroupForm
    words = {
        "add": _("Add a group"),
        "rename": _("Rename the group"),
        "remove": _("Remove the group"),
    }
    list_display = ["group_name", "site", "description", "position", "contents_with_it"]
    search_fields = ["group_name"]
    ordering = ["site_id", "taxis", "group_name"]

    @admin.display(description=POSITION)
    def position(self, row: ContentGroup) -> int:
        return row.taxis

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        return self.allows(request, "change")

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        if not self.has_add_permission(request):
            raise PermissionDenied
        form = NewGroupForm(request, request.POST or None)
        if request.method == "POST" and form.is_valid():
            messages.success(request, _now("The group “%(name)s” was made.") % {"name": form.cleaned_data["name"]})
            return self._back_to_list()
        return self._form(request, form)

    def initial_of(self, row: ContentGroup) -> dict[str, Any]:
        return {"name": row.group_name, "description": row.description, "taxis": row.taxis}

    def describe(self, row: ContentGroup, given: dict[str, Any]) -> None:
        labels.describe_group(row.pk, given["description"], given["taxis"])


@admin.register(ContentTag)
class ContentTagPages(NamePages):
    """Tags by name; they come with the contents that carry them."""

    names = TAGS
    words = {"rename": _("Rename the tag"), "remove": _("Remove the tag")}
    list_display = ["tag_name", "site", "contents_with_it"]
    search_fields = ["tag_name"]
    ordering = ["site_id", "tag_name"]
