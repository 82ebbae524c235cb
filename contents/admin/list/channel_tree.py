"""The tree of sites and channels beside the list of contents: where it is, and what lies below, as JSON."""

from typing import Any

from django.db.models import QuerySet
from django.http import Http404, HttpRequest, JsonResponse
from django.utils.http import urlencode

from channels_app.models import Channel
from cms_api.admin.numbers import read_number
from cms_api.admin.ranks import sites_of
from cms_api.admin.registered import address_of
from contents.admin.list.params import CHANNEL, SITE
from contents.lists.channel_stats import count_listed
from contents.models import Content

MOST = 500  # channels of one answer; the next ones are asked for


def tree_view(page: Any, request: HttpRequest) -> JsonResponse:
    """The home channels, which are the sites; or with `parent` the channels below it, `after` so many."""
    after = read_number(request.GET.get("after", "0")) or 0
    if "parent" in request.GET:
        parent = _seen(request).filter(pk=read_number(request.GET["parent"]) or 0).only("site_id").first()
        if parent is None:
            raise Http404
        rows = _seen(request).filter(site_id=parent.site_id, parent_id=parent.pk).order_by("taxis")
    else:
        rows = _seen(request).filter(parent=None).order_by("site__site_name", "pk")
    found = list(
        rows.values_list("pk", "channel_name", "site_id", "site__site_name", "children_count", "parent_id")[
            after : after + MOST + 1
        ]
    )
    counts = count_listed([row[0] for row in found])
    items = [
        {
            "id": pk,
            "name": site_name if parent_id is None else name,
            "count": counts.get(pk, 0),
            "hasChildren": children > 0,
            "address": f"{address_of(page)}?{urlencode({SITE: site_id} | ({CHANNEL: pk} if parent_id else {}))}",
        }
        for pk, name, site_id, site_name, children, parent_id in found[:MOST]
    ]
    return JsonResponse({"items": items, "more": after + MOST if len(found) > MOST else None})


def _seen(request: HttpRequest) -> QuerySet[Channel]:
    own, rows = sites_of(request.user), Channel.objects.present()
    return rows if own is None else rows.filter(site__in=own)


def tree_context(page: Any, request: HttpRequest) -> dict[str, Any]:
    """What the tree is told: where it is, and the way to add a content there."""
    channel, chosen = chosen_channel(request), request.GET.get(SITE, "")
    add = ""
    if channel is not None and page.allows(request, "add", Content(site_id=channel.site_id, channel=channel)):
        add = f"{address_of(page, 'add')}?channel={channel.pk}"
    above = [number for number in channel.parents_path.split(",") if number] if channel else []
    site = [chosen] if read_number(chosen) else []
    return {
        "address": address_of(page, "tree"),
        "channel": channel,
        "current": channel.pk if channel else "".join(site),
        "path": ",".join(above or site),
        "add": add,
    }


def chosen_channel(request: HttpRequest) -> Channel | None:
    """The channel to which the list is narrowed, if the administrator sees it; read once a request."""
    number = read_number(request.GET.get(CHANNEL))
    if number is None:
        return None
    if not hasattr(request, "_chosen_channel"):
        short = _seen(request).filter(pk=number).only("site_id", "channel_name", "parents_path")
        request._chosen_channel = short.first()  # type: ignore[attr-defined]
    found: Channel | None = request._chosen_channel  # type: ignore[attr-defined]
    return found
