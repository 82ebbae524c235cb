"""The effect of a change on the addresses of pages, which the admin shows before it stores the change."""

from collections.abc import Iterable, Iterator
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from channels_app.admin.channels import count_channels, count_contents, count_words
from channels_app.models import Channel
from channels_app.page_paths import PageFacts, Pages, facts_of
from channels_app.tree import own_address
from contents.lists.channel_stats import count_listed, count_own, own_contents
from contents.navigation.page_urls import own_addresses
from core.admin.formatting import format_number
from pages.former_rules import shows_id
from sites.addresses import split_host
from sites.admin.address_change import AddressChange
from sites.models import Site
from sites.page_rules import Parts, fill, parse_rule, quoted, token_names

_CHANNELS, _EXAMPLES = 2, 5  # examples that are channels, if there are others, and all


class _Addresses:
    """Addresses of the pages of a site by some settings, a web address and columns of its channels."""

    def __init__(self, site: Site, web_url: str, channels: Iterable[dict[str, Any]]) -> None:
        self.web_url, self._home, self._places = web_url, site.pk, dict[int, dict[str, str]]()
        facts = []
        for columns in channels:
            facts.append(facts_of(*(columns[name] for name in PageFacts._fields)))
            self._places[columns["id"]] = {"linkUrl": columns["link_url"], "filePath": quoted(columns["file_path"])}
        self.pages = Pages(facts, site.settings)

    def of_channel(self, pk: int) -> str:
        if pk == self._home:
            return f"{self.web_url}/index.html"
        return own_address(self._places[pk], quoted(self.pages.channel_path(pk)), self.web_url)

    def of_contents(self, ids: list[int]) -> dict[int, str]:
        return own_addresses(self._home, ids, self.pages, self.web_url)

    def content_parts(self, pk: int) -> Parts:
        return fill(self.pages.content_parts(pk), {"channelid": str(pk)}.get)


def change_of_site(before: Site, after: Site) -> AddressChange | None:
    """Return what the change does to addresses of channels and contents; None if they stay."""
    channels = _read_channels(before)
    new = _Addresses(after, after.compute_web_url(), channels)
    return _compare(before, _Addresses(before, before.web_url, channels), new)


def change_of_channel(channel: Channel, values: dict[str, str]) -> AddressChange | None:
    """Return what new values of the channel do to addresses of channels and contents; None if they stay."""
    site = channel.site
    channels = _read_channels(site)
    changed = [columns | values if columns["id"] == channel.pk else columns for columns in channels]
    return _compare(site, _Addresses(site, site.web_url, channels), _Addresses(site, site.web_url, changed))


def _read_channels(site: Site) -> list[dict[str, Any]]:
    return list(Channel.objects.in_site(site.pk).values(*PageFacts._fields, "link_url", "file_path"))


def _compare(site: Site, old: _Addresses, new: _Addresses) -> AddressChange | None:
    # No statement reads contents one by one; those with the lowest taxis have the cheapest {@sequence}.
    is_elsewhere = old.web_url != new.web_url
    pairs = [(old.of_channel(pk), new.of_channel(pk)) for pk in old.pages.channel_ids]
    moved = [(one, other) for one, other in pairs if one != other]
    owners = [pk for pk in old.pages.channel_ids if is_elsewhere or old.content_parts(pk) != new.content_parts(pk)]
    counts = count_own(site.pk, owners)[1]
    below = list(_below(site)) if is_elsewhere else []
    channels = len(moved) + Channel.objects.live().filter(site_id__in=below).count()
    contents = sum(every for every, _approved in counts.values()) + sum(count_listed(below).values())
    if not channels and not contents:
        return None
    newest = not any(addresses.pages.wants("sequence") for addresses in (old, new))
    ids = list(_examples([pk for pk in owners if counts.get(pk, (0, 0))[1]], newest=newest))
    olds, news = old.of_contents(ids), new.of_contents(ids)
    of_contents = [(olds[pk], news[pk]) for pk in ids if pk in olds and olds[pk] != news[pk]]
    of_channels = moved[: max(_CHANNELS, _EXAMPLES - len(of_contents))]
    if channels and contents:
        what = count_words(channels, contents)
    else:
        what = count_channels(channels) if channels else count_contents(contents)
    sentence = _("This changes the addresses of up to %(what)s.") % {"what": what}
    if below:
        told = ngettext(
            "Of these, some belong to %(count)s site below this one.",
            "Of these, some belong to %(count)s sites below this one.",
            len(below),
        )
        sentence = f"{sentence} {told % {'count': format_number(len(below))}}"
    has_sequence = any(_is_forgotten(old.pages.content_rule(pk)) for pk in owners if pk in counts)
    examples = [*of_channels, *of_contents][:_EXAMPLES]
    return AddressChange(sentence, examples, _afterwards(site, old.web_url, new.web_url, has_sequence=has_sequence))


def _below(site: Site) -> Iterator[int]:
    """Yield the sites whose web addresses begin with the site's."""
    for child in Site.objects.filter(parent=site):
        if child.settings.get("isSeparatedWeb") is not True:
            yield child.pk
            yield from _below(child)


def _examples(channel_ids: list[int], *, newest: bool) -> Iterator[int]:
    """Yield the ids of approved contents, from several channels if there are."""
    chosen = channel_ids[:_EXAMPLES]
    each = _EXAMPLES // (len(chosen) or 1)
    for pk in chosen:
        yield from own_contents(pk, each, newest=newest)


def _is_forgotten(rule: str) -> bool:
    """Return whether pages.address_changes does not remember the addresses by the rule."""
    return not shows_id(rule) and "sequence" in token_names(parse_rule(rule))


def _afterwards(site: Site, old_url: str, new_url: str, *, has_sequence: bool) -> str:
    """Return what visitors of the old addresses get."""
    if not site.has_pages:
        return _("This site has no page templates, so the server that has its pages must use the new addresses, too.")
    if old_url == new_url:
        if has_sequence:
            return _(
                "The old addresses redirect to the new ones, except those with {@sequence}: they respond with 404."
            )
        return _("The old addresses redirect to the new ones.")
    (old_host, old_folder), (_new_host, new_folder) = split_host(old_url), split_host(new_url)
    if old_host and old_folder == new_folder:
        return _(
            "The old addresses do not redirect. They respond with 404 unless the old host still leads to this site."
        )
    return _("The old addresses do not redirect to the new ones; they respond with 404.")
