"""The media library in the admin: the files of a site, found by words and filters, with their texts."""

from typing import Any, ClassVar
from urllib.parse import quote

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.core.files.uploadedfile import UploadedFile
from django.db.models import QuerySet
from django.forms import ModelForm
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.defaultfilters import filesizeformat
from django.urls import URLPattern
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext, ngettext_lazy, pgettext_lazy

from core.admin import admin_actions
from core.admin.admin_actions import AdminAction, Changed, OtherOutcome, Outcome
from core.admin.formatting import moment_markup
from core.admin.large_forms import takes_files
from core.admin.numbers import read_number
from core.admin.pages import BaseModelAdmin
from core.admin.views import address_of, render_page, route
from core.lib.errors import attempt
from media_library import trash
from media_library.admin.forms import MediaForm
from media_library.admin.used import shown_uses, tell_uses
from media_library.creation import create_files
from media_library.filling import is_filling
from media_library.kinds import MediaKind
from media_library.models import MediaFile
from media_library.renditions.requested import signed_query
from media_library.uploads import media_root_url, prepare_by_type
from media_library.uses import unused, uses_of
from sites.admin.choosing import choose_site, seen_site, site_choices
from sites.admin.site_filter import SiteFilter
from sites.models import Site, trashed_site_ids

_COVER = 64  # pixels, twice as many as are shown
MAX_FORM = 1024**3  # bytes of all files of a form; the site's limits apply to each


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


UPLOAD = AdminAction(
    "add",
    _("Upload files"),
    "",  # the page asks
    ngettext_lazy("%(count)d file was uploaded.", "%(count)d files were uploaded.", "count"),
    lambda request, file: None,
)


def _store(site: Site, file: UploadedFile) -> Any:  # type: ignore[type-arg]
    (result,) = create_files([prepare_by_type(site, file)], {}, is_copy=False)
    changed = Changed(result.file.pk, result.file.version)
    return OtherOutcome(changed, _there_already) if result.is_existing else changed


def _there_already(count: int) -> str:
    told = ngettext(
        "%(count)d file is in the library already and was not stored again.",
        "%(count)d files are in the library already and were not stored again.",
        count,
    )
    return told % {"count": count}


@admin.register(MediaFile)
class MediaFileAdmin(BaseModelAdmin):
    site_lookup = "site_id"
    admin_actions = (TRASH, RESTORE)
    rights = {
        "view": _("See"),
        "add": _("Upload"),
        "change": _("Change"),
        "delete": _("Move to the trash and back"),
    }
    list_display = ["file", "kind", "size", "dimensions", "uploader", "uploaded"]
    list_filter = [SiteFilter, "kind", MissingTextFilter, UnusedFilter, TrashFilter]
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

    # ---- the list

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        found: Any = queryset
        return found.with_words(search_term.split()), False

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        site_id = read_number(request.GET.get(SiteFilter.parameter_name))
        return super().changelist_view(request, {"add_query": f"site={site_id}" if site_id else ""})

    @admin.display(description=_("file"), ordering="title")
    def file(self, row: MediaFile) -> SafeString:
        cover = ""
        if row.kind == MediaKind.IMAGE and row.trashed_at is None:
            address = small_url(row)
            cover = format_html('<img class="cover" src="{}" alt="" width="32" height="32" loading="lazy"> ', address)
        missing = ""
        if row.kind == MediaKind.IMAGE and not row.alternative_text:
            missing = format_html(' <span class="badge">{}</span>', _now("no alternative text"))
        return format_html("{}{}{}", cover, row.title or row.name, missing)

    @admin.display(description=_("size"), ordering="bytes")
    def size(self, row: MediaFile) -> str:
        return str(filesizeformat(row.bytes))

    @admin.display(description=_("dimensions"))
    def dimensions(self, row: MediaFile) -> str:
        return f"{row.width} × {row.height}" if row.width else ""

    @admin.display(description=_("uploaded"), ordering="created_at")
    def uploaded(self, row: MediaFile) -> str:
        return moment_markup(row.created_at)

    # ---- uploads

    def get_urls(self) -> list[URLPattern]:
        # Before Django's own address of the same path.
        return [route(self, "add/", "add", add_view), *super().get_urls()]

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        return self.allows(request, "add")

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
                "large_url": f"{media_url(row)}?w=640&format=auto",
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


@takes_files(MAX_FORM)
def add_view(page: MediaFileAdmin, request: HttpRequest) -> HttpResponse:
    """Take any number of files for a site, each of which is stored or refused by itself."""
    if not page.has_add_permission(request):
        raise PermissionDenied
    places = page.places(request.user, "add")
    site_id = read_number(request.GET.get("site"))
    if site_id is None:
        return choose_site(page, request, _("Upload files"), "site", site_choices(request, places))
    site = seen_site(request, site_id, places)
    list_address = f"{address_of(page)}?{SiteFilter.parameter_name}={site.pk}"
    if request.method != "POST":
        context = {"title": _("Upload files"), "site": site, "list_address": list_address}
        return render_page(page, request, "media_library/upload.html", context)
    files = request.FILES.getlist("files")
    if not files:
        messages.error(request, _now("Choose at least one file."))
        return HttpResponseRedirect(request.get_full_path())
    outcome = Outcome()
    for number, file in enumerate(files):
        outcome.add(number, file.name or "", attempt(_store, site, file))
    outcome.left = 0
    admin_actions.report(UPLOAD, request, outcome)
    return HttpResponseRedirect(list_address)


def media_url(row: MediaFile) -> str:
    return media_root_url(row.site_id) + quote(row.path)


def small_url(row: MediaFile) -> str:
    query = signed_query(f"{row.site_id}/{row.path}", w=_COVER, h=_COVER, fit="cover", format="auto")
    return f"{media_url(row)}?{query}"
