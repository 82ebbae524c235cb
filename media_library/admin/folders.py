"""The folders of a site's library: the tree beside the list, and the forms that change it."""

from typing import Any, NamedTuple

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.views.main import PAGE_VAR, ChangeList
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from core.admin.error_messages import tell
from core.admin.numbers import read_number
from core.admin.picker import Picker
from core.admin.views import address_of, render_page, route
from core.lib.errors import ServiceError, attempt
from core.rest.preconditions import if_version
from media_library.folders import (
    MAX_NAME,
    change_folder,
    count_files,
    create_folder,
    delete_folder,
    folder_tree,
)
from media_library.models import MediaFile, MediaFolder
from sites.admin.choosing import seen_site, site_choices
from sites.admin.site_filter import SiteFilter

FOLDER = "folder"  # in addresses of the list; 0: none
_BETWEEN = " / "  # names of folders


def routes(page: Any) -> list[URLPattern]:
    return [
        route(page, "folders/add/", "add_folder", add_view),
        route(page, "folders/<int:pk>/", "folder", change_view),
        route(page, "folders/<int:pk>/delete/", "delete_folder", delete_view),
    ]


class FolderFilter(admin.SimpleListFilter):
    """The chosen folder; the tree offers the others."""

    title = _("folder")
    parameter_name = FOLDER

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        found = [("0", _("no folder"))]
        if number := read_number(self.value()):
            sites = model_admin.seen_places(request.user)
            chosen = sites.narrow(MediaFolder.objects.filter(pk=number), "site_id", None).first()
            found += [(str(number), chosen)] if chosen else []
        return found

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() is None:
            return queryset
        number = read_number(self.value())
        return queryset.none() if number is None else queryset.filter(folder=number or None)


class _Entry(NamedTuple):
    name: Any
    address: str
    depth: int
    files: int | None
    is_current: bool


def tree_context(page: Any, request: HttpRequest, shown: ChangeList) -> dict[str, Any]:
    """Return the folders of the list's site with links; nothing without a site. Two statements."""
    site_id = read_number(request.GET.get(SiteFilter.parameter_name))
    if site_id is None:
        sites = site_choices(request, page.seen_places(request.user))
        site_id = sites[0][0] if len(sites) == 1 else None
    if site_id is None or not page.seen_places(request.user).covers_site(site_id):
        return {}
    counts, chosen = count_files(site_id), request.GET.get(FOLDER)

    def entry(name: Any, number: int, depth: int = 0) -> _Entry:
        address = shown.get_query_string({FOLDER: number}, [PAGE_VAR])
        return _Entry(name, address, depth, None if counts is None else counts.get(number, 0), chosen == str(number))

    folders = folder_tree(site_id)
    total = sum(counts.values()) if counts is not None else None
    every = _Entry(_now("All files"), shown.get_query_string(remove=[FOLDER, PAGE_VAR]), 0, total, chosen is None)
    entries = [every, entry(_now("No folder"), 0)]
    entries += [entry(folder.name, folder.pk, folder.depth) for folder in folders]  # type: ignore[attr-defined]
    number = read_number(chosen)
    return {
        "folders": entries,
        "current_folder": next((one for one in entries if one.is_current), None),
        "current_folder_id": number if any(folder.pk == number for folder in folders) else None,
        "folder_site": site_id,
        "may_change_folders": page.places(request.user, "change").covers_site(site_id),
    }


def folder_choices(site_id: int, top: Any) -> list[tuple[int, Any]]:
    """Return 0 with the word for it, and the folders with the names of those above them."""
    choices: list[tuple[int, Any]] = [(0, top)]
    names: list[str] = []  # of the folder and those above it
    for folder in folder_tree(site_id):
        names = [*names[: folder.depth], folder.name]  # type: ignore[attr-defined]
        choices.append((folder.pk, _BETWEEN.join(names)))
    return choices


class FolderForm(forms.Form):
    name = forms.CharField(label=_("Name"), max_length=MAX_NAME)
    parent = forms.TypedChoiceField(label=_("In the folder"), coerce=int, required=False, widget=Picker)
    seen_version = forms.IntegerField(required=False, widget=forms.HiddenInput)

    def __init__(self, site_id: int, folder: MediaFolder | None, data: Any = None, parent: int = 0) -> None:
        self.site_id, self.folder = site_id, folder
        first: dict[str, Any] = {"parent": parent}
        if folder is not None:
            first = {"name": folder.name, "parent": folder.parent_id or 0, "seen_version": folder.version}
        super().__init__(data, initial=first)
        field: Any = self.fields["parent"]
        choices = folder_choices(site_id, _now("No folder"))
        field.choices = [choice for choice in choices if folder is None or choice[0] != folder.pk]

    def clean(self) -> None:
        if self.errors:
            return
        name, parent = self.cleaned_data["name"], self.cleaned_data["parent"] or 0
        try:
            if self.folder is None:
                self.folder = create_folder(self.site_id, name, parent)
            else:
                seen = if_version(self.cleaned_data["seen_version"] or 0)
                self.folder = change_folder(self.site_id, self.folder.pk, {"name": name, "parent_id": parent}, seen)
        except ServiceError as refusal:
            is_about_name = refusal.members.get("member") == "name"
            self.add_error("name" if is_about_name else None, tell(refusal))


def add_view(page: Any, request: HttpRequest) -> HttpResponse:
    places = _places(page, request)
    site = seen_site(request, read_number(request.GET.get("site")) or 0, places)
    parent = read_number(request.GET.get("parent")) or 0
    form = FolderForm(site.pk, None, request.POST if request.method == "POST" else None, parent)
    return _answer(page, request, form, _now("New folder"), _now("Create the folder"))


def change_view(page: Any, request: HttpRequest, pk: int) -> HttpResponse:
    folder = _seen_folder(page, request, pk)
    form = FolderForm(folder.site_id, folder, request.POST if request.method == "POST" else None)
    return _answer(page, request, form, _now("Rename or move the folder"), _now("Save"))


def delete_view(page: Any, request: HttpRequest, pk: int) -> HttpResponse:
    folder = _seen_folder(page, request, pk)
    if request.method == "POST":
        refusal = attempt(delete_folder, folder.site_id, folder.pk)
        if isinstance(refusal, ServiceError):
            messages.error(request, tell(refusal))
            return _back(page, folder.site_id, folder.pk)
        messages.success(request, _now("The folder “%(name)s” was deleted.") % {"name": folder.name})
        return _back(page, folder.site_id, folder.parent_id)
    count = MediaFile.objects.listed().filter(folder=folder).count()
    target = folder.parent.name if folder.parent else _now("No folder")
    told = ngettext(
        "%(count)d file stays in the library, in “%(name)s”.",
        "%(count)d files stay in the library, in “%(name)s”.",
        count,
    )
    context = {
        "title": _now("Delete the folder “%(name)s”?") % {"name": folder.name},
        "consequence": told % {"count": count, "name": target} if count else _now("The folder is empty."),
        "button": _now("Delete the folder"),
        "is_grave": True,
        "back": list_address(page, folder.site_id, folder.pk),
    }
    return render_page(page, request, "media_library/question.html", context)


def _places(page: Any, request: HttpRequest) -> Any:
    if not page.allows(request, "change"):
        raise Http404
    return page.places(request.user, "change")


def _seen_folder(page: Any, request: HttpRequest, pk: int) -> MediaFolder:
    places = _places(page, request)
    folder = MediaFolder.objects.filter(pk=pk).select_related("parent").first()
    if folder is None:
        raise Http404
    seen_site(request, folder.site_id, places)
    return folder


def _answer(page: Any, request: HttpRequest, form: FolderForm, title: str, button: str) -> HttpResponse:
    if form.is_bound and form.is_valid():
        folder: Any = form.folder
        messages.success(request, _now("The folder “%(name)s” was saved.") % {"name": folder.name})
        return _back(page, folder.site_id, folder.pk)
    current = form.folder.pk if form.folder else None
    back = list_address(page, form.site_id, current)
    context = {"title": title, "form": form, "button": button, "back": back}
    return render_page(page, request, "media_library/question.html", context)


def list_address(page: Any, site_id: int, folder_id: int | None) -> str:
    folder = "" if folder_id is None else f"&{FOLDER}={folder_id}"
    return f"{address_of(page)}?{SiteFilter.parameter_name}={site_id}{folder}"


def _back(page: Any, site_id: int, folder_id: int | None) -> HttpResponse:
    return HttpResponseRedirect(list_address(page, site_id, folder_id))
