"""The tree of a site's channels; `page` is the ModelAdmin.

Forms and addresses write a move as steps `<channel>.<its parent>:<place>.<other channel>.<its parent>`, such as
`3.1:before.12.5`.
"""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse, QueryDict
from django.template.loader import render_to_string
from django.utils.html import format_html
from django.utils.http import urlencode
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from channels_app.admin.rows import Row, above, all_open, found_rows, read_open, tree_address, tree_rows, write_open
from channels_app.models import Channel
from channels_app.moving import MAX, Position, Step, move_channels, steps_of
from channels_app.outline import MAX as MAX_LINES
from channels_app.outline import MAX_NAME, Line, add_outline, read_outline
from core.admin.error_messages import tell
from core.admin.numbers import read_number, read_numbers
from core.admin.sent_forms import once
from core.admin.views import address_of, page_of, render_page
from core.lib.errors import InvalidInput, ServiceError
from sites.admin.choosing import seen_site
from sites.models import Site

_SENTENCES = {
    "outline_length": _("Enter 1 to %(most)d names."),
    "outline_name": _("Line %(line)d: a name must have 1 to %(longest)d characters."),
    "outline_index": _("Line %(line)d: another channel has the index name “%(index_name)s”."),
}


def read_steps(sent: QueryDict) -> list[Step]:
    """Read the steps from `moves`, or from `channels` and `place` together. Raises InvalidInput."""
    try:
        if moves := sent.get("moves"):
            return [_read_step(each) for each in moves.split(";")]
        channels = [_numbers(each) for each in sent.get("channels", "").split(",")]
        return steps_of(channels, *_read_place(sent.get("place", "")))
    except ValueError as error:
        raise InvalidInput("move_unreadable", "The move is not valid.") from error


def _read_step(text: str) -> Step:
    channel, place = text.split(":")
    number, parent = _numbers(channel)
    return Step(number, parent, *_read_place(place))


def _read_place(text: str) -> tuple[Position, int, int]:
    place, _point, channels = text.partition(".")
    return Position(place), *_numbers(channels)


def _numbers(text: str) -> tuple[int, int]:
    channel, parent = map(read_number, text.split("."))
    if channel is None or parent is None:
        raise ValueError(text)
    return channel, parent


def _write_steps(steps: Sequence[Step]) -> str:
    return ";".join(
        f"{step.channel_id}.{step.seen_parent_id}:{step.place}.{step.target_id}.{step.target_parent_id}"
        for step in steps
    )


def tree_view(page: Any, request: HttpRequest, site_id: int) -> HttpResponse:
    """Show the tree; a POST begins to move the chosen channels."""
    site = seen_site(request, site_id, page.seen_places(request.user))
    if request.method == "POST":
        chosen = read_numbers(",".join(request.POST.getlist("_selected_action")))[:MAX]
        query = {"open": request.POST.get("open", ""), "moving": ",".join(map(str, chosen))}
        return HttpResponseRedirect(f"{request.path}?{urlencode(query)}")
    context = {**_shown(page, request, site), "title": _now("Channels"), "site": site, "most": MAX}
    return render_page(page, request, "channels_app/tree.html", context)


def rows_view(page: Any, request: HttpRequest, site_id: int) -> HttpResponse:
    shown = _shown(page, request, seen_site(request, site_id, page.seen_places(request.user)))
    return HttpResponse(render_to_string("channels_app/rows.html", shown, request))


def _shown(page: Any, request: HttpRequest, site: Site) -> dict[str, Any]:
    words, below = request.GET.get("q", "").strip(), read_number(request.GET.get("below"))
    seen, (may_add, may_move, may_trash) = (
        page.seen_places(request.user),
        (page.places(request.user, right) for right in ("add", "change", "delete")),
    )
    opened = read_open(request.GET["open"]) if "open" in request.GET else all_open(site.pk, seen)
    if (turned := read_number(request.GET.get("turn"))) is not None and opened.pop(turned, None) is None:
        opened |= read_open(str(turned))
    opened |= read_open(request.GET.get("more", ""))
    rows: list[Any] = list(found_rows(site.pk, words, seen)) if words else tree_rows(site.pk, opened, seen, below or 0)
    may_change = may_move.touches_site(site.pk)
    chosen = read_numbers(request.GET.get("moving", ""))[:MAX] if may_change else []
    movable = may_move.narrow(Channel.objects.in_site(site.pk), "site", "")
    moving = list(movable.filter(pk__in=chosen, parent__isnull=False)) if chosen else []
    numbers = {channel.pk for channel in moving}
    # A channel below another moving channel moves along with it.
    moving = [channel for channel in moving if numbers.isdisjoint(channel.above_ids)]
    for row in (row for row in rows if isinstance(row, Row)):
        row.is_moving = not numbers.isdisjoint(row.channel.path_ids)
        row.may_hold = may_move.covers(site.pk, row.channel.path_ids)
        row.has_open_parent = may_move.covers(site.pk, row.channel.above_ids)
        row.may_choose = row.may_hold or may_trash.covers(site.pk, row.channel.path_ids)
    contents_page = page_of(page.admin_site, request, "contents.Content")
    groups_page = page_of(page.admin_site, request, "auth.Group")
    return {
        "rows": rows,
        "words": words,
        "opened": write_open(opened),
        "moving": moving,
        "moving_ids": ",".join(str(channel.pk) for channel in moving),
        "moving_channels": ",".join(f"{channel.pk}.{channel.parent_id}" for channel in moving),
        "site_id": site.pk,
        "may_add": may_add.touches_site(site.pk),
        "may_add_at_home": may_add.covers_site(site.pk),
        "may_change": may_change,
        "may_trash": may_trash.touches_site(site.pk),
        "tree_actions": [action for action in page.actions_for(request) if action.name != "trash"],
        "groups_address": address_of(groups_page) if groups_page else "",
        "contents_address": f"{address_of(contents_page)}?site__id__exact={site.pk}" if contents_page else "",
    }


def move_view(page: Any, request: HttpRequest, site_id: int) -> HttpResponse:
    """Move channels, or return the confirmation page on GET; scripts get JSON, browsers go back to the tree."""
    site = seen_site(request, site_id, page.places(request.user, "change"))
    if request.method != "POST":
        try:
            steps = read_steps(request.GET)
        except ServiceError as refusal:
            raise Http404 from refusal
        channels = Channel.objects.in_site(site.pk).filter(pk__in=[step.channel_id for step in steps])
        context = {"title": _now("Move back"), "site": site, "moves": _write_steps(steps), "channels": channels}
        return render_page(page, request, "channels_app/move.html", context)
    steps = []
    try:
        steps = read_steps(request.POST)
        _require_within(page, request, site, steps)
        undo = _write_steps(move_channels(site.pk, steps))
    except ServiceError as refusal:
        is_done, message, undo = False, tell(refusal), ""
    else:
        is_done, message = True, _describe_moved(steps)
    if "application/json" in request.headers.get("Accept", ""):
        outcome = {"done": is_done, "message": message} | ({"undo": undo} if is_done else {})
        return JsonResponse(outcome | {"open": above(site.pk, [step.channel_id for step in steps])})
    if is_done:
        asking = f"{address_of(page, 'move', site.pk)}?{urlencode({'moves': undo})}"
        messages.success(request, format_html('{} <a class="undo" href="{}">{}</a>', message, asking, _now("Undo")))
    else:
        messages.error(request, message)
    tree, opened = address_of(page, "tree", site.pk), request.POST.get("open")
    return HttpResponseRedirect(f"{tree}?{urlencode({'open': opened})}" if opened else tree)


def _require_within(page: Any, request: HttpRequest, site: Site, steps: Sequence[Step]) -> None:
    """Raise Http404 for a channel that the administrator may not change, and InvalidInput for such a place."""
    places = page.places(request.user, "change")
    if places.covers_site(site.pk):
        return
    moved = {step.channel_id for step in steps}
    # The parents that the browser saw count: `move_channels` refuses others.
    parents = {step.target_id if step.place.is_below else step.target_parent_id for step in steps}
    rows = places.narrow(Channel.objects.in_site(site.pk), "site", "").filter(pk__in=moved | parents)
    within = set(rows.values_list("pk", flat=True))
    if not moved <= within:
        raise Http404
    if not parents <= within:
        raise InvalidInput("target_outside", "You may not move channels there.")


def _describe_moved(steps: Sequence[Step]) -> str:
    if len(steps) != 1:
        told = ngettext("%(count)d channel was moved.", "%(count)d channels were moved.", len(steps))
        return told % {"count": len(steps)}
    channel = Channel.objects.select_related("parent").get(pk=steps[0].channel_id)
    siblings = Channel.objects.live().filter(parent_id=channel.parent_id)
    return _now("“%(name)s” is now below “%(parent)s”: %(place)d of %(count)d.") % {
        "name": channel.channel_name,
        "parent": channel.parent,
        "place": siblings.filter(taxis__lte=channel.taxis).count(),
        "count": siblings.count(),
    }


class OutlineForm(forms.Form):
    names = forms.CharField(
        label=_("Names"),
        strip=False,
        max_length=MAX_LINES * 300,
        widget=forms.Textarea(attrs={"rows": 12, "autofocus": True}),
        help_text=_(
            "Enter one name per line. Indent a line with spaces or a tab to put it below the one above. "
            "An index name may follow in parentheses: News (news)."
        ),
    )

    lines: list[Line]

    def clean_names(self) -> str:
        text = str(self.cleaned_data["names"])
        try:
            self.lines = read_outline(text)
        except ServiceError as refusal:
            raise forms.ValidationError(_words_of(refusal)) from refusal
        return text


def _words_of(refusal: ServiceError) -> str:
    sentence = _SENTENCES.get(refusal.code)
    return str(sentence) % {"longest": MAX_NAME, **refusal.members} if sentence else tell(refusal)


@once
def several_view(page: Any, request: HttpRequest, site_id: int) -> HttpResponse:
    site = seen_site(request, site_id, page.places(request.user, "add"))
    number = read_number(request.GET.get("below")) or site.pk
    parent = Channel.objects.in_site(site.pk).filter(pk=number).first()
    if parent is None or not page.allows(request, "add", parent):
        raise Http404
    form = OutlineForm(request.POST or None)
    is_read = request.method == "POST" and form.is_valid()
    if is_read and "add" in request.POST:
        try:
            made = add_outline(parent.site_id, parent.pk, form.lines)
        except ServiceError as refusal:
            form.add_error("names", _words_of(refusal))
        else:
            told = ngettext("%(count)d channel was added.", "%(count)d channels were added.", len(made))
            messages.success(request, told % {"count": len(made)})
            # Without the channel: the page would scroll to it, away from the message.
            return HttpResponseRedirect(tree_address(parent).partition("#")[0])
    context = {
        "title": _now("Add several channels"),
        "site": site,
        "parent": parent,
        "form": form,
        "lines": form.lines if is_read and not form.errors else [],
        "tree_address": tree_address(parent),
    }
    return render_page(page, request, "channels_app/several.html", context)
