"""The tree of sites and channels beside the list of contents: what lies below one of them, as JSON."""

from typing import Any

from django.db.models import QuerySet
from django.http import Http404, HttpRequest, JsonResponse
from django.urls import reverse
from django.utils.http import urlencode

from channels_app.models import Channel
from cms_api.admin.numbers import read_number
from cms_api.admin.ranks import sites_of
from contents.admin.list.params import CHANNEL, SITE
from contents.navigation.channel_stats import count_listed

MOST = 500  # channels of one answer; the next ones are asked for


def tree_view(request: HttpRequest) -> JsonResponse:
    """The home channels, which are the sites; or with `parent` the channels below it, `after` so many."""
    after = read_number(request.GET.get("after", "0")) or 0
    if "parent" in request.GET:
        rows = _below(request, read_number(request.GET["parent"]))
    else:
        rows = _seen(request).filter(parent=None).order_by("site__site_name", "pk")
    found = list(
        rows.values_list("pk", "channel_name", "site_id", "site__site_name", "children_count", "parent_id")[
            after : after + MOST + 1
        ]
    )
    counts = count_listed([row[0] for row in found])
    items = [_item(row, counts) for row in found[:MOST]]
    return JsonResponse({"items": items, "more": after + MOST if len(found) > MOST else None})


def _seen(request: HttpRequest) -> QuerySet[Channel]:
    own, rows = sites_of(request.user), Channel.objects.present()
    return rows if own is None else rows.filter(site__in=own)


def _below(request: HttpRequest, parent_id: int | None) -> QuerySet[Channel]:
    parent = None if parent_id is None else _seen(request).filter(pk=parent_id).only("site_id").first()
    if parent is None:
        raise Http404
    return _seen(request).filter(site_id=parent.site_id, parent_id=parent.pk).order_by("taxis")


def _item(row: tuple[Any, ...], counts: dict[int, int]) -> dict[str, Any]:
    pk, name, site_id, site_name, children, parent = row
    query = {SITE: site_id} if parent is None else {SITE: site_id, CHANNEL: pk}
    return {
        "id": pk,
        "name": site_name if parent is None else name,
        "count": counts.get(pk, 0),
        "hasChildren": children > 0,
        "address": f"{reverse('admin:contents_content_changelist')}?{urlencode(query)}",
    }
