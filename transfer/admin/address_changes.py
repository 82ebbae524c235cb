"""What a change of a site's settings does to the addresses of its pages, which the admin shows before it stores it."""

from collections.abc import Iterator

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from channels_app.admin.channels import count_words
from channels_app.models import Channel
from channels_app.page_paths import PageFacts, Pages, facts_of
from channels_app.tree import own_address
from contents.lists.channel_stats import count_listed, count_own
from contents.models import Content
from contents.navigation.page_urls import own_addresses
from core.admin.formatting import format_number
from pages.former_rules import shows_id
from sites.addresses import split_host
from sites.admin.settings_form import AddressChange
from sites.models import Site
from sites.page_rules import Parts, fill, parse_rule, quoted, token_names

_CHANNELS, _EXAMPLES = 2, 5  # examples that are channels, if there are others, and all


def find_address_change(before: Site, after: Site) -> AddressChange | None:
    """Return what the change does to addresses of channels and contents; None if they stay.

    No statement counts contents one by one.
    """
    old_url, new_url = before.web_url, after.compute_web_url()
    rows = Channel.objects.in_site(before.pk).values_list(*PageFacts._fields, "link_url", "file_path")
    facts, places = [], {}
    for *columns, link_url, file_path in rows:
        facts.append(facts_of(*columns))
        places[facts[-1].id] = {"linkUrl": link_url, "filePath": quoted(file_path)}
    old, new = Pages(facts, before.settings), Pages(facts, after.settings)

    def address(pages: Pages, pk: int, web_url: str) -> str:
        is_home = pk == before.pk
        return f"{web_url}/index.html" if is_home else own_address(places[pk], quoted(pages.channel_path(pk)), web_url)

    moved = {pk: (address(old, pk, old_url), address(new, pk, new_url)) for pk in places}
    moved = {pk: (one, other) for pk, (one, other) in moved.items() if one != other}
    owners = [pk for pk in places if old_url != new_url or _filled(old, pk) != _filled(new, pk)]
    counts = count_own(before.pk, owners)[1]
    below = list(_below(before)) if old_url != new_url else []
    channels = len(moved) + Channel.objects.live().filter(site_id__in=below).count()
    contents = sum(every for every, _approved in counts.values()) + sum(count_listed(below).values())
    if not channels and not contents:
        return None
    ids = list(_examples([pk for pk in owners if counts.get(pk, (0, 0))[1]]))
    olds, news = (own_addresses(before.pk, ids, *by) for by in ((old, old_url), (new, new_url)))
    of_contents = [(olds[pk], news[pk]) for pk in ids if pk in olds and olds[pk] != news[pk]]
    of_channels = list(moved.values())[: max(_CHANNELS, _EXAMPLES - len(of_contents))]
    sentence = _("This changes the addresses of up to %(what)s.") % {"what": count_words(channels, contents)}
    if below:
        told = ngettext(
            "Of these, some belong to %(count)s site below this one.",
            "Of these, some belong to %(count)s sites below this one.",
            len(below),
        )
        sentence = f"{sentence} {told % {'count': format_number(len(below))}}"
    has_sequence = any(_is_forgotten(old.content_rule(pk)) for pk in owners if pk in counts)
    examples = [*of_channels, *of_contents][:_EXAMPLES]
    return AddressChange(sentence, examples, _afterwards(before, old_url, new_url, has_sequence=has_sequence))


def _filled(pages: Pages, channel_id: int) -> Parts:
    return fill(pages.content_parts(channel_id), {"channelid": str(channel_id)}.get)


def _below(site: Site) -> Iterator[int]:
    """Yield the sites whose web addresses begin with the site's."""
    for child in Site.objects.filter(parent=site):
        if child.settings.get("isSeparatedWeb") is not True:
            yield child.pk
            yield from _below(child)


def _examples(channel_ids: list[int]) -> Iterator[int]:
    """Yield the ids of approved contents, from several channels if there are."""
    chosen = channel_ids[:_EXAMPLES]
    each = _EXAMPLES // (len(chosen) or 1)
    for pk in chosen:
        yield from (
            Content.objects.live().checked().filter(channel=pk).order_by("-taxis").values_list("pk", flat=True)[:each]
        )


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
