"""Groups and tags: their lists and forms."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, reverse
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.http import urlencode
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from contents.lists.channel_stats import count_listed
from contents.models import Content, ContentGroup, ContentTag
from contents.services import labels
from contents.services.approval import require_public
from contents.services.labels import GROUPS, TAGS, Names
from contents.wire.name_list import MAX_NAME
from core.admin.changed_fields_form import KeepingForm
from core.admin.error_messages import tell
from core.admin.numbers import read_number
from core.admin.pages import POSITION, AskedRight, BaseModelAdmin
from core.admin.picker import Picker
from core.admin.places import Places
from core.admin.views import render_page, route, seen_record
from core.lib.errors import ServiceError
from core.lib.markup import clean_lines
from sites.admin.choosing import seen_sites
from sites.admin.site_filter import SiteFilter
from sites.models import Site, trashed_site_ids

# Contents changed per request, in one or two seconds.
STEP = 1000


class TagForm(KeepingForm, forms.Form):
    name = forms.CharField(label=_("Name"), max_length=MAX_NAME)

    def clean_name(self) -> str:
        name = str(self.cleaned_data["name"])
        try:
            return labels.require_name(name) if "name" in self.changed_data else name
        except ServiceError as refusal:
            raise forms.ValidationError(tell(refusal), code=refusal.code) from refusal


class GroupForm(TagForm):
    description = forms.CharField(label=_("Description"), required=False, widget=forms.Textarea(attrs={"rows": 3}))
    taxis = forms.IntegerField(
        label=POSITION,
        initial=0,
        min_value=-(2**31),
        max_value=2**31,
        help_text=_("Groups with lower numbers come first."),
    )

    def clean_description(self) -> str:
        text = str(self.cleaned_data["description"])
        try:
            return clean_lines(text).text if "description" in self.changed_data else text
        except ServiceError as refusal:
            raise forms.ValidationError(tell(refusal), code=refusal.code) from refusal


class NewGroupForm(GroupForm):
    """Form for a new group in a visible site; validation creates it."""

    site = forms.ModelChoiceField(label=_("Site"), queryset=Site.objects.none(), widget=Picker)
    field_order: Sequence[str] = ["site", "name", "description", "taxis"]

    def __init__(self, request: HttpRequest, places: Places, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        field: Any = self.fields["site"]
        field.queryset = seen_sites(request, places).defer("settings")
        field.initial = request.GET.get("site") or field.queryset.first()

    def _post_clean(self) -> None:
        super()._post_clean()  # type: ignore[misc]
        if self.errors:
            return
        given = self.cleaned_data
        try:
            labels.create_group(given["site"].pk, given["name"], given["description"], given["taxis"])
        except ServiceError as refusal:
            self.add_error("name", tell(refusal))


class LabelAdmin(BaseModelAdmin):
    """Base of the pages of groups and tags; renaming runs in steps of one request each."""

    names: Names
    parameter: str  # of the list of contents
    words: dict[str, str | Promise]
    form_of_row: type[TagForm] = TagForm
    site_lookup = "site_id"
    rights = {}
    actions = None
    list_select_related = ["site"]
    list_filter = [SiteFilter]
    sortable_by = ()

    def get_urls(self) -> list[URLPattern]:
        return [route(self, "<int:pk>/rename/", "rename", LabelAdmin.rename_view), *super().get_urls()]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).exclude(site_id__in=trashed_site_ids())

    def codename(self, action: str) -> str:
        return f"contents.{action}_content"

    def seen_places(self, user: Any) -> Places:
        page: Any = self.admin_site.get_model_admin(Content)
        found: Places = page.seen_places(user).whole_sites
        return found

    def asked_rights(self, record: Model | None = None) -> dict[str, AskedRight]:
        page: Any = self.admin_site.get_model_admin(Content)
        return super().asked_rights(record) | {"view": page.asked_rights()["view"]}

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        places = self.seen_places(request.user)
        return bool(places) if obj is None else self.is_in(places, obj)

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return self.allows(request, "change", obj)

    has_delete_permission = has_change_permission

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

    # ---- forms

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        row = self._changed_row(request, object_id)
        form = self.form_of_row(request.POST or None, initial=self.initial_of(row))
        if request.method == "POST" and form.is_valid():
            try:
                self.describe(row, form.cleaned_data)
            except ServiceError as refusal:
                messages.error(request, tell(refusal))
                return self._form(request, form, row)
            name = form.cleaned_data["name"]
            if name == self.names.name_of(row):
                return self._back_to_list()
            return HttpResponseRedirect(f"{self._address('rename', row.pk)}?{urlencode({'name': name})}")
        return self._form(request, form, row)

    def initial_of(self, row: Any) -> dict[str, Any]:
        return {"name": self.names.name_of(row)}

    def describe(self, row: Any, given: dict[str, Any]) -> None:
        """Store everything except the name."""

    def _changed_row(self, request: HttpRequest, pk: int | str) -> Any:
        row = seen_record(self, request, pk)
        if not self.has_change_permission(request, row):
            raise PermissionDenied
        return row

    def _form(self, request: HttpRequest, form: forms.Form, row: Any = None) -> HttpResponse:
        title = self.names.name_of(row) if row else self.words["add"]
        context = {"title": title, "form": form, "original": row, "words": self.words}
        return render_page(self, request, "contents/labels/form.html", context)

    # ---- another name, or none

    def rename_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Confirm, then rename in steps; the page in between continues by script or button."""
        row = self._changed_row(request, pk)
        sent = request.POST if request.method == "POST" else request.GET
        return self._replace(request, row, sent.get("name", "").strip())

    def delete_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        return self._replace(request, self._changed_row(request, object_id), None)

    def _replace(self, request: HttpRequest, row: Any, new: str | None) -> HttpResponse:
        done, replaced = read_number(request.POST.get("done")) or 0, 0
        old = self.names.name_of(row)
        try:
            require_public(request.user, row.site_id, labels.contents_with(self.names, row.pk))
        except ServiceError as refusal:
            messages.error(request, tell(refusal))
            return self._back_to_list()
        if request.method == "POST":
            try:
                replaced, is_finished = labels.replace_name(self.names, row.pk, new, STEP)
            except ServiceError as refusal:
                messages.error(request, tell(refusal))
                return self._back_to_list()
            done += replaced
            if is_finished:
                sentence = (
                    _now("“%(old)s” was removed. Content items changed: %(count)d.")
                    if new is None
                    else _now("“%(old)s” is now “%(new)s”. Content items changed: %(count)d.")
                )
                messages.success(request, sentence % {"old": old, "new": new, "count": done})
                return self._back_to_list(urlencode({"site__id__exact": row.site_id}))
        left = count_listed([row.pk], self.names.kind).get(row.pk, 0)
        same = self.names.rows().filter(**{"site_id": row.site_id, self.names.column: new}).exclude(pk=row.pk)
        context = {
            "title": self.words["remove"] if new is None else self.words["rename"],
            "original": row,
            "old": old,
            "new": new,
            "joins": new is not None and not done and same.exists(),
            "left": left,
            "done": done,
            "all": left + done,
            "goes_on": bool(replaced),
            "words": self.words,
        }
        return render_page(self, request, "contents/labels/replace.html", context)


@admin.register(ContentGroup)
class ContentGroupAdmin(LabelAdmin):
    names = GROUPS
    parameter = "group"
    form_of_row = GroupForm
    words = {
        "add": pgettext_lazy("of contents", "Add a group"),
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
        form = NewGroupForm(request, self.places(request.user, "change"), request.POST or None)
        if request.method == "POST" and form.is_valid():
            messages.success(request, _now("The group “%(name)s” was created.") % {"name": form.cleaned_data["name"]})
            return self._back_to_list()
        return self._form(request, form)

    def initial_of(self, row: ContentGroup) -> dict[str, Any]:
        return {"name": row.group_name, "description": row.description, "taxis": row.taxis}

    def describe(self, row: ContentGroup, given: dict[str, Any]) -> None:
        labels.describe_group(row.pk, given["description"], given["taxis"])


@admin.register(ContentTag)
class ContentTagAdmin(LabelAdmin):
    names = TAGS
    parameter = "tag"
    words = {"rename": _("Rename the tag"), "remove": _("Remove the tag")}
    list_display = ["tag_name", "site", "contents_with_it"]
    search_fields = ["tag_name"]
    ordering = ["site_id", "tag_name"]
