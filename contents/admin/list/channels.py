"""Channels to choose from: the tree beside the list of contents, and the picker in forms."""

from collections.abc import Collection
from typing import Any

from django.db.models import QuerySet
from django.http import Http404, HttpRequest, JsonResponse
from django.utils.http import urlencode
from django.utils.translation import gettext_lazy as _

from channels_app.models import Channel
from contents.admin.list.params import CHANNEL, SITE
from contents.admin.list.sources import top_ids
from contents.lists.channel_stats import count_listed
from contents.models import Content
from core.admin.numbers import read_number
from core.admin.picker import Picker
from core.admin.places import Places
from core.admin.views import address_of

MAX = 500  # channels per response for the tree; scripts request the rest
_MAX_OFFERED = 5000  # in a form, to bound the page


# ---- the tree


def tree_view(page: Any, request: HttpRequest) -> JsonResponse:
    """JSON: the home channels, or the channels below `parent`, skipping `after`."""
    after = read_number(request.GET.get("after", "0")) or 0
    if "parent" in request.GET:
        parent = _seen(page, request).filter(pk=read_number(request.GET["parent"]) or 0).only("site_id").first()
        if parent is None:
            raise Http404
        rows = _seen(page, request).filter(site_id=parent.site_id, parent_id=parent.pk).order_by("taxis")
    else:
        tops = top_ids(page.seen_places(request.user))
        rows = Channel.objects.live().filter(parent=None) if tops is None else _seen(page, request).filter(pk__in=tops)
        rows = rows.order_by("site__site_name", "site_id", "taxis")
    columns = ("pk", "channel_name", "site_id", "site__site_name", "children_count", "parent_id")
    found = list(rows.values_list(*columns)[after : after + MAX + 1])
    counts = count_listed([row[0] for row in found])
    items = [
        {
            "id": pk,
            "name": site_name if parent_id is None else name if "parent" in request.GET else f"{site_name} › {name}",
            "count": counts.get(pk, 0),
            "hasChildren": children > 0,
            "address": f"{address_of(page)}?{urlencode({SITE: site_id} | ({CHANNEL: pk} if parent_id else {}))}",
        }
        for pk, name, site_id, site_name, children, parent_id in found[:MAX]
    ]
    return JsonResponse({"items": items, "more": after + MAX if len(found) > MAX else None})


def _seen(page: Any, request: HttpRequest) -> QuerySet[Channel]:
    places: Places = page.seen_places(request.user)
    return places.narrow(Channel.objects.live(), "site", "")


def tree_context(page: Any, request: HttpRequest, channel: Channel | None) -> dict[str, Any]:
    add, site = "", request.GET.get(SITE, "")
    if not read_number(site):
        site = ""
    if channel is not None and page.allows(request, "add", Content(site_id=channel.site_id, channel=channel)):
        add = f"{address_of(page, 'add')}?channel={channel.pk}"
    return {
        "address": address_of(page, "tree"),
        "current": channel.pk if channel else site,
        "path": (channel.parents_path.strip(",") if channel else "") or site,
        "add": add,
    }


def chosen_channel(page: Any, request: HttpRequest) -> Channel | None:
    number = read_number(request.GET.get(CHANNEL))
    if number is None:
        return None
    return _seen(page, request).filter(pk=number).only("site_id", "channel_name", "parents_path").first()


# ---- the list in a form


class ChannelPicker(Picker):
    """Always shows its search field: trees are long, and paths distinguish equal names."""

    most_unsearched = 0

    def __init__(self, **options: Any) -> None:
        super().__init__(_("Find a channel"), **options)


def offer_channels(field: Any, site_ids: Collection[int], places: Places, *, with_closed: bool = False) -> list[int]:
    """Fill the field with the sites' channels in the places, in tree order and in one statement; return their ids.

    Names are indented by depth. Channels that take no contents are selectable only `with_closed`.
    """
    rows: QuerySet[Any, Any] = Channel.objects.live().filter(site__in=site_ids).order_by("site", "taxis")
    rows = places.narrow(rows, "site", "")
    columns = ("pk", "channel_name", "parents_count", "site_id", "site__site_name", "settings__isContentAddable")
    found = list(rows.values_list(*columns)[:_MAX_OFFERED])
    by_site: dict[tuple[int, str], list[tuple[int, str]]] = {}
    for pk, name, depth, site_id, site_name, _takes_contents in found:
        by_site.setdefault((site_id, site_name), []).append((pk, "— " * depth + name))
    groups = [(site_name, members) for (_site_id, site_name), members in by_site.items()]
    field.choices = [("", "—"), *(groups[0][1] if len(groups) == 1 else groups)]
    if not with_closed:
        field.widget.closed = frozenset(row[0] for row in found if row[-1] is False)
    return [row[0] for row in found]
