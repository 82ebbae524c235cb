from typing import Any

from django.db.models import Max
from django.http import Http404, HttpRequest, JsonResponse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from channels_app.models import Channel
from channels_app.page_paths import PageFacts, Pages, facts_of
from channels_app.tree import own_address
from core.admin.numbers import read_number
from core.lib import clock
from sites.admin.choosing import seen_site
from sites.page_rules import fill_wholly

# Tokens of rules, with words for each; `True`: only for contents.
TOKENS: tuple[tuple[str, Promise, bool], ...] = (
    ("{@channelId}", _("channel ID"), False),
    ("{@channelName}", _("name of the channel"), False),
    ("{@lowerChannelName}", _("its name in lower case"), False),
    ("{@channelIndex}", _("index name of the channel"), False),
    ("{@lowerChannelIndex}", _("its index name in lower case"), False),
    ("{@parentRule}", _("folder of the channel above"), False),
    ("{@year}", _("year it was added; also {@month}, {@day}, {@hour}, {@minute}, {@second}"), False),
    ("{@sequence}", _("position, counted from the end"), False),
    ("{@contentId}", _("content ID"), True),
)
# Fields of the form that affect addresses.
_TYPED = ["channel_name", "index_name", "link_url", "file_path", "channel_file_path_rule", "content_file_path_rule"]
_CONTENT_ID = 123  # of an example content


def address_view(page: Any, request: HttpRequest, site_id: int) -> JsonResponse:
    """Return as JSON the addresses that the typed values give: of the channel's page and of a content's page."""
    site = seen_site(request, site_id, page.places(request.user, "add", "change"))
    channels = Channel.objects.in_site(site.pk).select_related("parent")
    channel = channels.filter(pk=read_number(request.GET.get("channel")) or 0).first()
    below = channels.filter(pk=read_number(request.GET.get("below")) or 0).first()
    if not (page.allows(request, "change", channel) if channel else below and page.allows(request, "add", below)):
        raise Http404
    now = clock.now()
    typed = {name: request.GET.get(name, "")[:2000] for name in _TYPED}
    facts = facts_of(
        channel.pk if channel else 1 + (Channel.objects.aggregate(last=Max("pk"))["last"] or 0),
        channel.parent_id if channel else below.pk if below else None,
        typed["channel_name"],
        typed["index_name"],
        channel.add_date if channel else now,
        typed["channel_file_path_rule"].strip(),
        typed["content_file_path_rule"].strip(),
        channel.settings if channel else {},
    )
    pages = Pages(_around(facts, channel.parent if channel else below), site.settings)
    places = {"linkUrl": typed["link_url"].strip(), "filePath": typed["file_path"].strip()}
    path = pages.channel_path(facts.id)
    is_home = channel is not None and channel.pk == site.pk
    # Values of content tokens; members of contents stay as their names.
    dates = {"year": "%Y", "month": "%m", "day": "%d", "hour": "%H", "minute": "%M", "second": "%S"}
    example = {name: f"{now:{form}}" for name, form in dates.items()}
    example |= {"contentid": str(_CONTENT_ID), "channelid": str(facts.id), "sequence": "1"}
    own = f"{site.web_url}/index.html" if is_home else own_address(places, path, site.web_url)
    content = fill_wholly(pages.content_parts(facts.id), lambda name: example.get(name, name))
    return JsonResponse({"page": own, "content": site.web_url + content})


def _around(channel: PageFacts, parent: Channel | None) -> list[PageFacts]:
    """Return the channels above, the channel and its siblings, in tree order: all that its rules may refer to."""
    if parent is None:
        return [channel]
    rows = Channel.objects.in_site(parent.site_id).values_list(*PageFacts._fields)
    above = [facts_of(*row) for row in rows.filter(pk__in=[*parent.above_ids, parent.pk])]
    siblings = {facts.id: facts for facts in (facts_of(*row) for row in rows.filter(parent_id=parent.pk))}
    return [*above, *(siblings | {channel.id: channel}).values()]
