"""The folders of a site's library: the tree beside the list, and the forms that change it."""

from collections.abc import Callable
from functools import partial
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
from core.admin.places import Places
from core.admin.views import address_of, render_page, route
from core.lib.errors import ServiceError, attempt
from core.rest.preconditions import if_version
from media_library.branches import channel_of, is_own_folder, own_folders, seen_folders
from media_library.folders import (
    MAX_NAME,
    change_folder,
    channels_of,
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
_MAX_CHANNELS = 5000  # in a form, to bound the page


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
        found: list[tuple[str, Any]] = [("0", _("no folder"))]
        if number := read_number(self.value()):
            chosen = seen_folders(model_admin.seen_places(request.user)).filter(pk=number).first()
            found += [(str(number), chosen.name)] if chosen else []
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
    """Return the folders of the list's site with links; nothing without a site.

    Two statements; for people whose rights end at branches two more.
    """
    places, may_change = page.seen_places(request.user), page.places(request.user, "change")
    site_id = read_number(request.GET.get(SiteFilter.parameter_name))
    if site_id is None:
        sites = site_choices(request, places)
        site_id = sites[0][0] if len(sites) == 1 else None
    if site_id is None or not places.touches_site(site_id):
        return {}
    counts, chosen = count_files(site_id, places), request.GET.get(FOLDER)

    def entry(name: Any, number: int, depth: int = 0) -> _Entry:
        address = shown.get_query_string({FOLDER: number}, [PAGE_VAR])
        return _Entry(name, address, depth, None if counts is None else counts.get(number, 0), chosen == str(number))

    folders = _folders(site_id, places, seen_folders)
    total = sum(counts.values()) if counts is not None else None
    every = _Entry(_now("All files"), shown.get_query_string(remove=[FOLDER, PAGE_VAR]), 0, total, chosen is None)
    entries = [every, entry(_now("No folder"), 0)]
    entries += [entry(folder.name, folder.pk, folder.depth) for folder in folders]  # type: ignore[attr-defined]
    number = next((folder.pk for folder in folders if chosen == str(folder.pk)), None)
    return {
        "folders": entries,
        "current_folder": next((one for one in entries if one.is_current), None),
        "current_folder_id": number if number and is_own_folder(site_id, number, may_change) else None,
        "folder_site": site_id,
        "may_change_folders": may_change.touches_site(site_id),
    }


def _folders(
    site_id: int, places: Places, chosen: Callable[[Places], QuerySet[MediaFolder]] = own_folders
) -> list[MediaFolder]:
    return folder_tree(site_id, None if places.covers_site(site_id) else chosen(places))


def folder_choices(site_id: int, top: Any, places: Places) -> list[tuple[int, Any]]:
    """Return 0 with the word for it, if `places` cover the site, and their folders with the names of those above."""
    choices: list[tuple[int, Any]] = [(0, top)] if places.covers_site(site_id) else []
    names: list[str] = []  # of the folder and those above it
    for folder in _folders(site_id, places):
        names = [*names[: folder.depth], folder.name]  # type: ignore[attr-defined]
        choices.append((folder.pk, _BETWEEN.join(names)))
    return choices


class FolderForm(forms.Form):
    name = forms.CharField(label=_("Name"), max_length=MAX_NAME)
    parent = forms.TypedChoiceField(label=_("In the folder"), coerce=int, required=False, widget=Picker)
    channel = forms.TypedChoiceField(
        label=_("Belongs to"),
        coerce=int,
        required=False,
        widget=Picker(_("Find a channel")),
        help_text=_(
            "People whose rights end at branches change only files of their branches, and do not see those of others."
        ),
    )
    seen_version = forms.IntegerField(required=False, widget=forms.HiddenInput)

    def __init__(
        self, site_id: int, places: Places, folder: MediaFolder | None, data: Any = None, parent: int = 0
    ) -> None:
        self.site_id, self.places, self.folder = site_id, places, folder
        top = _now("No folder")
        parents = {0: top} | dict(folder_choices(site_id, top, places))
        channels = _channel_choices(site_id, places, folder.channel_id if folder else None)
        if folder is not None:
            first = {"name": folder.name, "parent": folder.parent_id or 0, "seen_version": folder.version}
            first["channel"] = folder.channel_id or 0
            parents.pop(folder.pk, None)
            parents.setdefault(folder.parent_id or 0, _now("As before"))  # hidden from this person
        else:
            # A new folder at the top must belong to a branch of a person whose rights end there.
            is_whole = places.covers_site(site_id) or parent in parents.keys() - {0}
            first = {"parent": parent, "channel": 0 if is_whole else next(filter(None, channels), 0)}
        super().__init__(data, initial=first)
        for name, choices in (("parent", parents), ("channel", channels)):
            field: Any = self.fields[name]
            field.choices = list(choices.items())

    def clean(self) -> None:
        if self.errors:
            return
        name, parent = self.cleaned_data["name"], self.cleaned_data["parent"] or 0
        channel = self.cleaned_data["channel"] or 0
        try:
            if self.folder is None:
                self.folder = create_folder(self.site_id, name, parent, channel, places=self.places)
            else:
                seen = if_version(self.cleaned_data["seen_version"] or 0)
                values = {"name": name, "parent_id": parent, "channel_id": channel}
                self.folder = change_folder(self.site_id, self.folder.pk, values, seen, places=self.places)
        except ServiceError as refusal:
            is_about_name = refusal.members.get("member") == "name"
            self.add_error("name" if is_about_name else None, tell(refusal))


def _channel_choices(site_id: int, places: Places, present: int | None) -> dict[int, str]:
    """Return the channels of the site in the places and the present one, by id; 0: none."""
    rows = channels_of(site_id, places).values_list("pk", "channel_name", "parents_count")[:_MAX_CHANNELS]
    found = {pk: "— " * depth + name for pk, name, depth in rows}
    if present and present not in found:
        name = channels_of(site_id, places).filter(pk=present).values_list("channel_name", flat=True).first()
        found[present] = name or _now("deleted channel %(number)d") % {"number": present}
    return {0: _now("As the folder above, or all branches")} | found


def add_view(page: Any, request: HttpRequest) -> HttpResponse:
    places = _places(page, request)
    site = seen_site(request, read_number(request.GET.get("site")) or 0, places)
    parent = read_number(request.GET.get("parent")) or 0
    form = FolderForm(site.pk, places, None, request.POST if request.method == "POST" else None, parent)
    return _answer(page, request, form, _now("New folder"), _now("Create the folder"))


def change_view(page: Any, request: HttpRequest, pk: int) -> HttpResponse:
    places = _places(page, request)
    folder = _own_folder(request, places, pk)
    form = FolderForm(folder.site_id, places, folder, request.POST if request.method == "POST" else None)
    return _answer(page, request, form, _now("Rename or move the folder"), _now("Save"))


def delete_view(page: Any, request: HttpRequest, pk: int) -> HttpResponse:
    places = _places(page, request)
    folder = _own_folder(request, places, pk)
    if request.method == "POST":
        refusal = attempt(partial(delete_folder, folder.site_id, folder.pk, places=places))
        if isinstance(refusal, ServiceError):
            messages.error(request, tell(refusal))
            return _back(page, folder.site_id, folder.pk)
        messages.success(request, _now("The folder “%(name)s” was deleted.") % {"name": folder.name})
        return _back(page, folder.site_id, folder.parent_id)
    count = MediaFile.objects.listed().filter(folder=folder).count()
    is_below = folder.parent is not None and is_own_folder(folder.site_id, folder.parent_id or 0, places)
    target = folder.parent.name if is_below else _now("No folder")  # type: ignore[union-attr]
    told = ngettext(
        "%(count)d file stays in the library, in “%(name)s”.",
        "%(count)d files stay in the library, in “%(name)s”.",
        count,
    ) % {"count": count, "name": target}
    is_leaving = folder.channel_id is not None and folder.channel_id != channel_of(folder.parent_id)
    leaving = " " + _now("They leave the branch that the folder belongs to.") if is_leaving else ""
    context = {
        "title": _now("Delete the folder “%(name)s”?") % {"name": folder.name},
        "consequence": f"{told}{leaving}" if count else _now("The folder is empty."),
        "button": _now("Delete the folder"),
        "is_grave": True,
        "back": list_address(page, folder.site_id, folder.pk),
    }
    return render_page(page, request, "media_library/question.html", context)


def _places(page: Any, request: HttpRequest) -> Any:
    if not page.allows(request, "change"):
        raise Http404
    return page.places(request.user, "change")


def _own_folder(request: HttpRequest, places: Places, pk: int) -> MediaFolder:
    folder = own_folders(places).filter(pk=pk).select_related("parent").first()
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
