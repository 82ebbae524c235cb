"""Paths of the pages that SiteServer wrote into the folder of a site."""

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Any, Self

from channels_app.models import Channel
from channels_app.page_paths import PageFacts, Pages, facts_of
from pages.former_rules import ids_in
from pages.models import Template
from pages.resolver import INDEX, NUMBERED
from sites.models import Site
from sites.page_rules import CONTENT_RULE
from transfer.package import ChannelRecord, SiteRecord, TemplateRecord

_OF_CHANNEL = re.compile(r"/channels/\d+\.html", re.ASCII)


class PagePaths:
    """Pages of templates and channels, and of contents by rules with their ids; also of records deleted since."""

    def __init__(
        self,
        channels: Iterable[PageFacts],
        settings: dict[str, Any],
        templates: Iterable[TemplateRecord],
        own: set[str],
    ) -> None:
        pages = Pages(channels, settings)
        files = {each.fields.get("page_path", "") for each in templates} | own
        found = {INDEX, *(f"/{path.lstrip('@~/')}" for path in files), *map(pages.channel_path, pages.channel_ids)}
        self._named = {path.casefold() for path in found}
        self._rules = {CONTENT_RULE, *pages.content_rules}

    @classmethod
    def of_package(cls, site: SiteRecord, channels: Iterable[ChannelRecord]) -> Self:
        ids: dict[tuple[int, ...], int] = {}
        facts, own = [], set()
        for number, channel in enumerate(channels, start=1):
            ids[channel.position] = channel.source_id or -number
            above = ids.get(channel.position[:-1], 0) if channel.position else 0
            names = ("channel_name", "index_name", "channel_file_path_rule", "content_file_path_rule")
            name, index, *rules = (channel.fields.get(each, "") for each in names)
            date = channel.fields.get("add_date") or datetime.min
            facts.append(facts_of(ids[channel.position], above, name, index, date, *rules, channel.settings))
            own.add(channel.fields.get("file_path", ""))
        return cls(facts, site.settings, site.templates, own)

    @classmethod
    def of_site(cls, site_id: int) -> Self:
        channels = Channel.objects.in_site(site_id)
        facts = (facts_of(*row) for row in channels.values_list(*PageFacts._fields))
        settings = Site.objects.values_list("settings", flat=True).get(pk=site_id)
        return cls(facts, settings, templates_of(site_id), set(channels.values_list("file_path", flat=True)))

    def has(self, path: str) -> bool:
        """Return whether the path, below the folder of the site, belongs to a page or to a further page of its list."""
        first = f"/{path}"
        numbered = NUMBERED.fullmatch(first)
        forms = [first, numbered[1] + numbered[3]] if numbered else [first]
        return any(
            each.casefold() in self._named or _OF_CHANNEL.fullmatch(each) or ids_in(each, self._rules) for each in forms
        )


def templates_of(site_id: int) -> list[TemplateRecord]:
    rows = Template.objects.filter(site_id=site_id).order_by("pk")
    return [TemplateRecord(dict(each)) for each in rows.values("kind", "name", "file_name", "page_path")]
