"""The tree of a site's channels: shown, searched, and changed by moving channels. `page` is the ModelAdmin."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.template.loader import render_to_string
from django.utils.html import format_html
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from channels_app.admin.move_request import read_steps, sentence, write_steps
from channels_app.admin.rows import above, all_open, found_rows, mark_moving, read_open, tree_rows, write_open
from channels_app.admin.sites import site_of
from channels_app.models import Channel
from channels_app.moving import MOST, Step, move_channels
from cms_api.admin.numbers import read_number, read_numbers
from cms_api.admin.refusals import tell
from cms_api.admin.registered import address_of, page_of
from cms_api.admin.views import render_page
from cms_api.lib.errors import ServiceError
from sites.models import Site


def tree_view(page: Any, request: HttpRequest, site_id: int) -> HttpResponse:
    """The page; a POST begins to move the chosen channels."""
    site = site_of(request, site_id)
    if request.method == "POST":
        chosen = read_numbers(",".join(request.POST.getlist("_selected_action")))[:MOST]
        query = {"open": request.POST.get("open", ""), "moving": ",".join(map(str, chosen))}
        return HttpResponseRedirect(f"{request.path}?{urlencode(query)}")
    context = {**_shown(page, request, site), "title": _("Channels"), "site": site, "most": MOST}
    return render_page(page, request, "channels_app/tree.html", context)


def rows_view(page: Any, request: HttpRequest, site_id: int) -> HttpResponse:
    """The rows alone, for the page's script; with `below` only those below that channel."""
    shown = _shown(page, request, site_of(request, site_id))
    return HttpResponse(render_to_string("channels_app/rows.html", shown, request))


def _shown(page: Any, request: HttpRequest, site: Site) -> dict[str, Any]:
    """The rows that the address asks for, and what the administrator may do to them."""
    words, below = request.GET.get("q", "").strip(), read_number(request.GET.get("below"))
    opened = read_open(request.GET["open"]) if "open" in request.GET else all_open(site.pk)
    if (turned := read_number(request.GET.get("turn"))) is not None and opened.pop(turned, None) is None:
        opened |= read_open(str(turned))
    opened |= read_open(request.GET.get("more", ""))
    rows: list[Any] = list(found_rows(site.pk, words)) if words else tree_rows(site.pk, opened, below or 0)
    may_change = page.allows(request, "change")
    moving = _moving(request, site) if may_change else []
    mark_moving(rows, {channel.pk for channel in moving})
    contents_page = page_of(page.admin_site, request, "contents.Content")
    return {
        "rows": rows,
        "words": words,
        "opened": write_open(opened),
        "moving": moving,
        "moving_ids": ",".join(str(channel.pk) for channel in moving),
        "moving_channels": ",".join(f"{channel.pk}.{channel.parent_id}" for channel in moving),
        "site_id": site.pk,
        "may_add": page.allows(request, "add"),
        "may_change": may_change,
        "may_trash": page.allows(request, "delete"),
        "contents_address": f"{address_of(contents_page)}?site__id__exact={site.pk}" if contents_page else "",
    }


def _moving(request: HttpRequest, site: Site) -> list[Channel]:
    """The channels to be moved; one goes along with another that it stands below."""
    chosen = read_numbers(request.GET.get("moving", ""))[:MOST]
    if not chosen:
        return []
    found = Channel.objects.in_site(site.pk).filter(pk__in=chosen, parent__isnull=False)
    numbers = {str(channel.pk) for channel in found}
    return [channel for channel in found if not numbers & set(channel.parents_path.split(","))]


def move_view(page: Any, request: HttpRequest, site_id: int) -> HttpResponse:
    """Move channels; a GET asks first. A script is answered in JSON, others go back to the tree."""
    site = site_of(request, site_id)
    if not page.allows(request, "change"):
        raise Http404
    if request.method != "POST":
        return _ask_before_moving(page, request, site)
    steps: list[Step] = []
    try:
        steps = read_steps(request.POST)
        undo = write_steps(move_channels(site.pk, steps))
    except ServiceError as refusal:
        is_done, message, undo = False, tell(refusal), ""
    else:
        is_done, message = True, sentence(steps)
    if "application/json" in request.headers.get("Accept", ""):
        outcome = {"done": is_done, "message": message} | ({"undo": undo} if is_done else {})
        return JsonResponse(outcome | {"open": above(site.pk, [step.channel_id for step in steps])})
    if is_done:
        asking = f"{address_of(page, 'move', site.pk)}?{urlencode({'moves': undo})}"
        messages.success(request, format_html('{} <a class="undo" href="{}">{}</a>', message, asking, _("Undo")))
    else:
        messages.error(request, message)
    tree, opened = address_of(page, "tree", site.pk), request.POST.get("open")
    return HttpResponseRedirect(f"{tree}?{urlencode({'open': opened})}" if opened else tree)


def _ask_before_moving(page: Any, request: HttpRequest, site: Site) -> HttpResponse:
    try:
        steps = read_steps(request.GET)
    except ServiceError as refusal:
        raise Http404 from refusal
    numbers = [step.channel_id for step in steps]
    context = {
        "title": _("Move back"),
        "site": site,
        "moves": write_steps(steps),
        "channels": Channel.objects.in_site(site.pk).filter(pk__in=numbers),
    }
    return render_page(page, request, "channels_app/move.html", context)
