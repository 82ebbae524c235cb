"""What the address of a channel would be, as long as its form is being filled in."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from django.http import Http404, HttpRequest, JsonResponse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from channels_app.admin.sites import site_of
from channels_app.models import Channel
from channels_app.pages import PageFacts, Pages
from channels_app.tree import own_address
from cms_api.admin.numbers import read_number
from cms_api.lib import clock
from sites.models import Site
from sites.page_rules import fill_wholly

# What rules may hold, with words for each; `True`: of contents only.
TOKENS: tuple[tuple[str, Promise, bool], ...] = (
    ("{@channelId}", _("number of the channel"), False),
    ("{@channelName}", _("name of the channel"), False),
    ("{@lowerChannelName}", _("its name in small letters"), False),
    ("{@channelIndex}", _("index name of the channel"), False),
    ("{@lowerChannelIndex}", _("its index name in small letters"), False),
    ("{@parentRule}", _("folder of the channel above"), False),
    ("{@year}", _("year in which it was added; also {@month}, {@day}, {@hour}, {@minute}, {@second}"), False),
    ("{@sequence}", _("place, counted from the end"), False),
    ("{@contentId}", _("number of the content"), True),
)
_COLUMNS: tuple[str, ...] = (
    "pk",
    "parent_id",
    "channel_name",
    "index_name",
    "add_date",
    "channel_file_path_rule",
    "content_file_path_rule",
    "settings",
)
_CONTENT_ID = 123  # of a content that serves as an example


class Typed(NamedTuple):
    """What the form holds at the moment of the fields that make addresses."""

    channel_name: str
    index_name: str
    channel_file_path_rule: str
    content_file_path_rule: str
    file_path: str
    link_url: str

    @classmethod
    def read(cls, sent: Mapping[str, Any]) -> "Typed":
        return cls(*(str(sent.get(name, ""))[:2000] for name in cls._fields))


def address_view(page: Any, request: HttpRequest, site_id: int) -> JsonResponse:
    """The addresses that the typed values would give, as JSON."""
    site = site_of(request, site_id)
    channels = Channel.objects.in_site(site.pk).select_related("parent")
    channel = channels.filter(pk=read_number(request.GET.get("channel")) or 0).first()
    below = channels.filter(pk=read_number(request.GET.get("below")) or 0).first()
    if channel is None and below is None:
        raise Http404
    parent = channel.parent if channel is not None else below
    return JsonResponse(preview(site, channel, parent, Typed.read(request.GET)))


def preview(site: Site, channel: Channel | None, parent: Channel | None, typed: Typed) -> dict[str, str]:
    """The address of the channel's page and that of a content's in it; a new channel has a number to come."""
    pk, added = (channel.pk, channel.add_date) if channel else (0, clock.now())
    last = Channel.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    facts = PageFacts(
        pk or last + 1,
        parent.pk if parent else 0,
        typed.channel_name,
        typed.index_name,
        added.isoformat(" ", "seconds"),
        typed.channel_file_path_rule.strip(),
        typed.content_file_path_rule.strip(),
        channel.settings if channel else {},
    )
    pages = Pages(_around(site, facts, parent, pk), site.settings)
    content = fill_wholly(pages.content_parts(facts.id), _example(clock.now(), facts))
    places = {"linkUrl": typed.link_url.strip(), "filePath": typed.file_path.strip()}
    is_home = pk == site.pk
    page = f"{site.web_url}/index.html" if is_home else own_address(places, pages.channel_path(facts.id), site.web_url)
    return {"page": page, "content": site.web_url + content}


def _around(site: Site, facts: PageFacts, parent: Channel | None, pk: int) -> list[PageFacts]:
    """The channels above it, it and its siblings, in the order of the tree: all that its rules may ask about."""
    rows = Channel.objects.in_site(site.pk).values_list(*_COLUMNS)
    above = [int(each) for each in parent.parents_path.split(",") if each] + [parent.pk] if parent else []
    found = [_facts(row) for row in rows.filter(pk__in=above)]
    siblings = [_facts(row) for row in rows.filter(parent_id=parent.pk)] if parent else []
    if not pk:
        return [*found, *siblings, facts]
    return [*found, *(facts if each.id == pk else each for each in siblings)] if parent else [facts]


def _facts(row: tuple[Any, ...]) -> PageFacts:
    pk, parent_id, name, index, added, *rest = row
    return PageFacts(pk, parent_id or 0, name, index, added.isoformat(" ", "seconds"), *rest)


def _example(now: datetime, channel: PageFacts) -> Callable[[str], str]:
    """The texts of tokens that are a content's own; a member of it stands for itself."""
    parts = {"year": f"{now.year}", "month": f"{now.month:02}", "day": f"{now.day:02}", "hour": f"{now.hour:02}"}
    known = parts | {"minute": f"{now.minute:02}", "second": f"{now.second:02}"}
    known |= {"contentid": str(_CONTENT_ID), "channelid": str(channel.id), "sequence": "1"}
    return lambda name: known.get(name, name)
