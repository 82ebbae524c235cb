"""The media library in the admin: the files of a site, found by words and filters, with their texts."""

import json
from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

from django.contrib import admin
from django.contrib.admin.views.main import ORDER_VAR, PAGE_VAR, ChangeList
from django.db.models import QuerySet
from django.forms import ModelForm
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.template.defaultfilters import filesizeformat
from django.urls import URLPattern, path
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy, pgettext_lazy

from core.admin.admin_actions import AdminAction, Changed
from core.admin.editor.messages import OF_UPLOADS
from core.admin.formatting import moment_markup
from core.admin.numbers import read_number
from core.admin.pages import BaseModelAdmin
from core.admin.places import Places
from core.admin.views import address_of, route
from media_library import trash
from media_library.admin.acts import ADD_TAGS, MOVE, REMOVE_TAGS
from media_library.admin.adding import add_view, store_sent
from media_library.admin.cropping import crop_view, may_crop
from media_library.admin.folders import FOLDER, FolderFilter, routes, tree_context
from media_library.admin.forms import MediaForm
from media_library.admin.replacing import replace_view
from media_library.admin.upload_view import upload_view
from media_library.admin.used import shown_uses, tell_uses
from media_library.branches import is_own_folder, is_seen, own_files, seen_files
from media_library.covers import COVER, picture_url
from media_library.filling import is_filling
from media_library.kinds import MediaKind
from media_library.models import MediaFile
from media_library.replaced import mark_of
from media_library.searching import with_words
from media_library.uploads import media_url
from media_library.uses import unused, uses_of
from sites.admin.site_filter import SiteFilter
from sites.models import trashed_site_ids

_CARD = (320, 240)  # pixels, twice as many as are shown
_TABLE, _GRID = "table", "grid"
_LAYOUT_COOKIE = "cms_media_layout"
_YEAR = 365 * 86400
_ORDERS = (
    ("uploaded", "desc", _("Newest first")),
    ("uploaded", "asc", _("Oldest first")),
    ("file", "asc", _("Title from A to Z")),
    ("file", "desc", _("Title from Z to A")),
    ("size", "desc", _("Largest first")),
    ("size", "asc", _("Smallest first")),
)


class MissingTextFilter(admin.SimpleListFilter):
    title = _("alternative text")
    parameter_name = "without_text"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("1", _("missing"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(kind=MediaKind.IMAGE, alternative_text="") if self.value() else queryset


class UnusedFilter(admin.SimpleListFilter):
    title = _("use")
    parameter_name = "unused"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [] if is_filling() else [("1", _("not used"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return unused(queryset) if self.value() else queryset  # type: ignore[arg-type]


class TrashFilter(admin.SimpleListFilter):
    """Shows the files in the trash instead of the others."""

    title = _("trash")
    parameter_name = "trashed"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("1", _("in the trash"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(trashed_at__isnull=False) if self.value() else queryset.listed()  # type: ignore[attr-defined]


def _trash(request: HttpRequest, file: MediaFile) -> Changed:
    changed = trash.trash_file(file.site_id, file.pk)
    return Changed(changed.pk, changed.version)


def _restore(request: HttpRequest, file: MediaFile) -> Changed:
    changed = trash.restore_file(file.site_id, file.pk)
    return Changed(changed.pk, changed.version)


TRASH = AdminAction(
    "trash",
    pgettext_lazy("button", "Delete"),
    ngettext_lazy("Move %(count)d file to the trash?", "Move %(count)d files to the trash?", "count"),
    ngettext_lazy("%(count)d file was moved to the trash.", "%(count)d files were moved to the trash.", "count"),
    _trash,
    right="delete",
    suits=lambda file: file.trashed_at is None,
    unsuited=_("is in the trash already"),
    consequence=tell_uses,
    take_back=lambda request, file, version: _restore(request, file),
)
RESTORE = AdminAction(
    "restore",
    _("Restore"),
    ngettext_lazy("Restore %(count)d file?", "Restore %(count)d files?", "count"),
    ngettext_lazy("%(count)d file was restored.", "%(count)d files were restored.", "count"),
    _restore,
    right="delete",
    suits=lambda file: file.trashed_at is not None,
    unsuited=_("is not in the trash"),
)


@admin.register(MediaFile)
class MediaFileAdmin(BaseModelAdmin):
    site_lookup = "site_id"
    admin_actions = (MOVE, ADD_TAGS, REMOVE_TAGS, TRASH, RESTORE)
    rights = {
        "view": _("See"),
        "add": _("Upload"),
        "change": _("Change"),
        "delete": _("Move to the trash and back"),
    }
    list_display = ["file", "kind", "size", "extent", "uploader", "uploaded"]
    list_filter = [SiteFilter, FolderFilter, "kind", MissingTextFilter, UnusedFilter, TrashFilter]
    list_select_related = ["site"]
    search_fields = ["title", "path", "alternative_text", "credit", "tags"]
    ordering: ClassVar[Any] = ["-created_at", "-id"]
    form = MediaForm
    change_list_template = "media_library/file_list.html"
    change_form_template = "media_library/file.html"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        files = super().get_queryset(request).filter(missing_since__isnull=True)
        return files.exclude(site_id__in=trashed_site_ids()).defer("site__settings")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return (obj is None or obj.trashed_at is None) and self.allows(request, "change", obj)

    # ---- rights

    def applicable(self, places: Places) -> Places:
        return places  # a folder can belong to a branch

    def in_seen_places(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return seen_files(queryset, self.seen_places(request.user))  # type: ignore[arg-type]

    def in_places(self, request: HttpRequest, queryset: QuerySet[Any], *actions: str) -> QuerySet[Any]:
        return own_files(queryset, self.places(request.user, *actions))  # type: ignore[arg-type]

    def is_in(self, places: Places, record: Any) -> bool:
        return is_own_folder(record.site_id, record.folder_id or 0, places)

    def is_seen_in(self, places: Places, record: Any) -> bool:
        return is_seen(record, places)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        if obj is None:
            return super().has_view_permission(request)
        return self.is_seen_in(self.seen_places(request.user), obj)

    def may_take_back(self, request: HttpRequest, action: AdminAction, records: Sequence[Any]) -> set[int]:
        files = self.in_places(request, MediaFile.objects.all(), action.permission)
        return set(files.filter(pk__in=[record.pk for record in records]).values_list("pk", flat=True))

    # ---- the list

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        files: Any = queryset
        if request.GET.get(TrashFilter.parameter_name):  # the index has no files in the trash
            return files.with_texts(search_term.split()), False
        site_id = read_number(request.GET.get(SiteFilter.parameter_name))
        return with_words(files, search_term, [site_id] if site_id else None), False

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        site_id = read_number(request.GET.get(SiteFilter.parameter_name))
        folder = read_number(request.GET.get(FOLDER))
        if site_id and folder and not is_own_folder(site_id, folder, self.places(request.user, "add")):
            folder = 0  # the upload chooses
        place = f"{FOLDER}={folder}" if folder is not None else ""
        context: dict[str, Any] = {"add_query": f"site={site_id}&{place}" if site_id else ""}
        if site_id and self.may_upload_in(request, site_id):
            context["upload_url"] = f"{address_of(self, 'upload', site_id)}?{place}"
            context["upload_words"] = json.dumps({name: str(text) for name, text in OF_UPLOADS.items()})
        answer = super().changelist_view(request, context)
        shown = getattr(answer, "context_data", None) or {}
        if "cl" in shown:
            is_grid = request.COOKIES.get(_LAYOUT_COOKIE) != _TABLE
            for row in shown["cl"].result_list:
                row.is_card = is_grid
            classes = f"{shown.get('column_classes', '')} as-grid" if is_grid else shown.get("column_classes", "")
            layouts = [(_GRID, _now("Grid"), is_grid), (_TABLE, _now("Table"), not is_grid)]
            shown |= {"column_classes": classes.strip(), "layouts": layouts, "query": request.GET.urlencode()}
            shown |= {"orders": _orders(shown["cl"]) if is_grid else []}
            shown |= tree_context(self, request, shown["cl"])
        return answer

    @admin.display(description=_("file"), ordering="title")
    def file(self, row: MediaFile) -> SafeString:
        cover: str = ""
        is_card = getattr(row, "is_card", False)
        if row.kind == MediaKind.IMAGE and row.trashed_at is None:
            size = _CARD if is_card else (COVER, COVER)
            sides = tuple(side // 2 for side in size)
            address = picture_url(row.site_id, row.path, mark_of(row.replaced_at), size)
            markup = '<img class="cover" src="{}" alt="" width="{}" height="{}" loading="lazy"> '
            cover = format_html(markup, address, *sides)
        elif is_card:
            cover = format_html('<span class="cover">{}</span>', _icon(row))
        missing = ""
        if row.kind == MediaKind.IMAGE and not row.alternative_text:
            missing = format_html(' <span class="badge">{}</span>', _now("no alternative text"))
        return format_html("{}{}{}", cover, row.title or row.name, missing)

    @admin.display(description=_("size"), ordering="bytes")
    def size(self, row: MediaFile) -> str:
        return str(filesizeformat(row.bytes))

    # A heading that names both would push the last column out of windows of 1,200 pixels.
    @admin.display(description=_("dimensions"))
    def extent(self, row: MediaFile) -> str:
        return self.dimensions(row) or self.duration(row)

    def dimensions(self, row: MediaFile) -> str:
        return f"{row.width} × {row.height}" if row.width else ""

    def duration(self, row: MediaFile) -> str:
        """Return the duration of a sound or video as players write it: 3:25, or 1:03:25."""
        if row.duration is None:
            return ""
        minutes, seconds = divmod(round(row.duration), 60)
        hours, minutes = divmod(minutes, 60)
        return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"

    @admin.display(description=_("uploaded"), ordering="created_at")
    def uploaded(self, row: MediaFile) -> str:
        return moment_markup(row.created_at)

    # ---- uploads

    def get_urls(self) -> list[URLPattern]:
        # Before Django's own address of the same path.
        return [
            route(self, "add/", "add", add_view),
            path(
                "upload/<int:site_id>/",
                upload_view(self, self.may_upload_in, store_sent),
                name="media_library_mediafile_upload",
            ),
            route(self, "layout/", "layout", layout_view),
            route(self, "<int:pk>/replace/", "replace", replace_view),
            route(self, "<int:pk>/crop/", "crop", crop_view),
            *routes(self),
            *super().get_urls(),
        ]

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        return self.allows(request, "add")

    def may_upload_in(self, request: HttpRequest, site_id: int) -> bool:
        return self.has_add_permission(request) and self.places(request.user, "add").touches_site(site_id)

    # ---- the form

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        names = ["title", "alternative_text", "credit", "tags"]
        if not self.has_change_permission(request, obj):
            return [(None, {"fields": names})]
        focus = ["focal_left", "focal_top"] if obj is not None and obj.kind == MediaKind.IMAGE else []
        return [(None, {"fields": [*names, *focus, "seen_version"]})]

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **options: Any
    ) -> HttpResponse:
        if (row := options.get("obj")) is not None:
            context |= {
                "show_save_and_add_another": False,
                "show_save_and_continue": False,
                "shown_url": media_url(row) if row.trashed_at is None else "",
                "large_url": media_url(row, "w=640", "format=auto"),
                "may_replace": self.has_change_permission(request, row),
                "may_crop": any(may_crop(self, request, row).values()),
                "is_picture": row.kind == MediaKind.IMAGE,
                "facts": self._facts(row),
                "uses": shown_uses(request, (uses := uses_of(row)).first),
                "more_uses": uses.total - len(uses.first),
                "uses_are_counted": not is_filling(),
            }
        return super().render_change_form(request, context, *args, **options)

    def _facts(self, row: MediaFile) -> list[tuple[Any, Any]]:
        facts = [
            (_now("Address in content"), row.address),
            (_now("Kind"), row.get_kind_display()),
            (_now("Size"), filesizeformat(row.bytes)),
            (_now("Dimensions"), self.dimensions(row)),
            (_now("Duration"), self.duration(row)),
            (_now("Uploaded"), moment_markup(row.created_at)),
            (_now("Uploaded by"), row.uploader),
        ]
        return [fact for fact in facts if fact[1]]

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **options: Any) -> Any:
        if not self.has_change_permission(request, obj):
            options["form"] = ModelForm
        return super().get_form(request, obj, change, **options)

    def save_model(self, *args: Any) -> None:
        """Save nothing: the form has called the service."""

    save_related = save_model  # type: ignore[assignment]


class _Order(NamedTuple):
    name: Any
    address: str
    is_current: bool


def _orders(shown: ChangeList) -> list[_Order]:
    """Return the orders that cards offer, which have no heads of columns."""
    current = shown.get_ordering_field_columns()
    orders = []
    for column, direction, name in _ORDERS:
        number = shown.list_display.index(column)
        address = shown.get_query_string({ORDER_VAR: f"{'-' if direction == 'desc' else ''}{number}"}, [PAGE_VAR])
        orders.append(_Order(name, address, current == {number: direction}))
    return orders


def _icon(row: MediaFile) -> SafeString:
    icon = "#icon-media" if row.kind in {MediaKind.IMAGE, MediaKind.VIDEO} else "#icon-contents"
    return format_html('<svg class="icon" aria-hidden="true" focusable="false"><use href="{}"/></svg>', icon)


def layout_view(page: MediaFileAdmin, request: HttpRequest) -> HttpResponse:
    """Remember the layout of the list, and show it."""
    answer = HttpResponseRedirect(f"{address_of(page)}?{QueryDict(request.POST.get('query', '')).urlencode()}")
    if (chosen := request.POST.get("layout")) in {_TABLE, _GRID}:
        path = address_of(page)
        answer.set_cookie(_LAYOUT_COOKIE, chosen, max_age=_YEAR, path=path, samesite="Lax", httponly=True)
    return answer
