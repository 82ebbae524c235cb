"""The groups and tags of sites: how many contents carry each, and their forms."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Model
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.html import format_html
from django.utils.http import urlencode
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from cms_api.admin.pages import POSITION
from cms_api.admin.refusals import tell
from cms_api.lib.errors import ServiceError
from contents.admin.labels.forms import GroupForm, NewGroupForm, TagForm
from contents.admin.labels.steps import NameSteps
from contents.lists.channel_stats import count_listed
from contents.models import Content, ContentGroup, ContentTag
from contents.services import labels
from contents.services.labels import GROUPS, TAGS
from sites.admin.site_filter import SiteFilter


class NamePages(NameSteps):
    """What pages of groups and of tags have in common; the rights are those of contents."""

    form_of_row: type[TagForm] = TagForm
    site_lookup = "site_id"
    rights = {}
    actions = None
    list_select_related = ["site"]
    list_filter = [SiteFilter]
    sortable_by = ()

    def codename(self, act: str) -> str:
        """The permission to do the same to contents."""
        return f"contents.{act}_content"

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Whoever may see contents may see what groups and tags they have."""
        page: Any = self.admin_site.get_model_admin(Content)
        is_seen = obj is None or self.get_queryset(request).filter(pk=obj.pk).exists()
        return is_seen and page.has_view_permission(request)

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Whoever may change contents."""
        return self.allows(request, "change", obj)

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Whoever may change contents: they stay, and lose the name."""
        return self.allows(request, "change", obj)

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        """The list, with the numbers of contents of the rows that are shown."""
        shown = super().get_changelist_instance(request)
        rows: list[Any] = list(shown.result_list)
        counts = count_listed([row.pk for row in rows], self.names.kind)
        for row in rows:
            row.number_of_contents = counts.get(row.pk, 0)
        shown.result_list = rows
        return shown

    @admin.display(description=_("contents"))
    def contents_with_it(self, row: Any) -> str:
        """How many there are, with the way to them."""
        if not row.number_of_contents:
            return "0"
        query = urlencode({"site__id__exact": row.site_id, self.parameter: self.names.name_of(row)})
        address = reverse("admin:contents_content_changelist")
        return format_html('<a href="{}?{}">{}</a>', address, query, row.number_of_contents)

    @property
    def parameter(self) -> str:
        """The filter of the list of contents."""
        return "group" if self.names is GROUPS else "tag"

    # ---- forms

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """The form; another name is asked for once more, with how many contents it concerns."""
        row = self._seen(request, object_id)
        if not self.has_change_permission(request, row):
            raise PermissionDenied
        form = self.form_of_row(request.POST or None, initial=self.initial_of(row))
        if request.method == "POST" and form.is_valid() and self._describe(request, row, form):
            return self._after_change(row, form.cleaned_data["name"])
        return self._form(request, form, row)

    def initial_of(self, row: Any) -> dict[str, Any]:
        """What the form shows."""
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

    def _after_change(self, row: Any, name: str) -> HttpResponse:
        if name == self.names.name_of(row):
            return self._back_to_list()
        return HttpResponseRedirect(f"{self._address('rename', row.pk)}?{urlencode({'name': name})}")

    def _form(self, request: HttpRequest, form: forms.Form, row: Any = None) -> HttpResponse:
        title = self.names.name_of(row) if row else self.words["add"]
        context = {"title": title, "form": form, "original": row, "words": self.words}
        return self._answer(request, "form", context)


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
        """Its place in the order."""
        return row.taxis

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        """Whoever may change contents."""
        return self.allows(request, "change")

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        """The form for a new group."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        form = NewGroupForm(request, request.POST or None)
        if request.method == "POST" and form.is_valid():
            messages.success(request, _now("The group “%(name)s” was made.") % {"name": form.cleaned_data["name"]})
            return self._back_to_list()
        return self._form(request, form)

    def initial_of(self, row: ContentGroup) -> dict[str, Any]:
        """Name, description and place."""
        return {"name": row.group_name, "description": row.description, "taxis": row.taxis}

    def describe(self, row: ContentGroup, given: dict[str, Any]) -> None:
        """Store description and place."""
        labels.describe_group(row.pk, given["description"], given["taxis"])


@admin.register(ContentTag)
class ContentTagPages(NamePages):
    """Tags by name; they come with the contents that carry them."""

    names = TAGS
    words = {"rename": _("Rename the tag"), "remove": _("Remove the tag")}
    list_display = ["tag_name", "site", "contents_with_it"]
    search_fields = ["tag_name"]
    ordering = ["site_id", "tag_name"]
