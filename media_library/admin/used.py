"""The records that use a file, by name and with links for those who may see them."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any, NamedTuple

from django.contrib import admin
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext as _now
from django.utils.translation import ngettext

from core.admin.views import address_of, page_of
from media_library.filling import is_filling
from media_library.models import MediaFile, MediaUse, UseSource
from media_library.uses import Use, uses_of

# Beginning of the source → model and its column of names; their apps are above this one.
_RECORDS = {
    "content": ("contents.Content", "title"),
    "channel": ("channels_app.Channel", "channel_name"),
    "template": ("pages.Template", "name"),
    "site": ("cms_sites.Site", "site_name"),
}
_NAMED = 5  # files in a question


class ShownUse(NamedTuple):
    source: str | Promise
    name: str
    url: str  # empty for those who may not see the record


def seen_uses(request: HttpRequest, uses: QuerySet[MediaUse]) -> QuerySet[MediaUse]:
    """Return the uses by records that the administrator may see."""
    seen = Q(pk__in=())
    for kind, (label, _column) in _RECORDS.items():
        page: Any = page_of(admin.site, request, label)
        if page is not None:
            sources = [source for source in UseSource if source.partition(".")[0] == kind]
            record = page.get_queryset(request).filter(pk=OuterRef("source_id"))
            seen |= Q(Exists(record), source__in=sources)
    return uses.filter(seen)


def shown_uses(request: HttpRequest, uses: Iterable[Use]) -> list[ShownUse]:
    """Return the uses with names, and links to the records that the administrator may see."""
    numbers: defaultdict[str, set[int]] = defaultdict(set)
    for use in uses:
        numbers[use.source.partition(".")[0]].add(use.source_id)
    seen = {kind: _seen(request, *_RECORDS[kind], found) for kind, found in numbers.items()}
    shown = []
    for use in uses:
        name, url = seen[use.source.partition(".")[0]].get(use.source_id, (f"{use.source_id}", ""))
        shown.append(ShownUse(UseSource(use.source).label, name, url))
    return shown


def _seen(request: HttpRequest, label: str, column: str, numbers: set[int]) -> dict[int, tuple[str, str]]:
    page: Any = page_of(admin.site, request, label)
    if page is None:
        return {}
    rows = page.get_queryset(request).filter(pk__in=numbers).values_list("pk", column)
    return {pk: (name, address_of(page, "change", pk)) for pk, name in rows}


def tell_uses(files: list[MediaFile]) -> str:
    """Return in how many places the files are used; empty if nowhere. Says so if places may be missing."""
    counts = [(file, uses_of(file).total) for file in files]
    used = [(file, count) for file, count in counts if count]
    told = [
        ngettext("“%(name)s” is used in %(count)d place.", "“%(name)s” is used in %(count)d places.", count)
        % {"name": file.title or file.name, "count": count}
        for file, count in used[:_NAMED]
    ]
    if (more := len(used) - _NAMED) > 0:
        told.append(ngettext("%(count)d more file is used.", "%(count)d more files are used.", more) % {"count": more})
    if is_filling():
        told.append(_now("The uses of files are still being counted."))
    if used:
        told.append(_now("The page of a file shows where. Deleted files leave gaps there until they are restored."))
    return " ".join(told)
