"""Links and addresses of files in the texts of a site that lead to nothing which visitors see, by the table of uses.

Those to other websites are found by contents.external_links.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator
from itertools import chain, islice
from typing import NamedTuple
from urllib.parse import unquote

from django.conf import settings
from django.db import connection
from django.db.models import Exists, OuterRef, Q, QuerySet, TextChoices
from django.utils.translation import gettext_lazy as _

from channels_app.models import Channel
from channels_app.record_links import CHANNEL, CONTENT, Named, address_by_id, links_in_uses, named_in
from contents.models import Content, ExternalLink, ExternalLinkUse, LinkProblem
from core.lib.statement_limit import statement_limit
from media_library.kinds import in_library
from media_library.models import MediaFile, MediaUse, UseSource
from media_library.use_sources import ENDS, Cut
from media_library.uses import Use
from sites.models import Site

MOST = 500  # dead links that are found
_AT_A_TIME = 500  # ids in a statement
_FILES = "upload/"


class Reason(TextChoices):
    HIDDEN = "hidden", _("Not approved")
    TRASHED = "trashed", _("In the trash")
    MISSING = "missing", _("Does not exist")
    UNSEEN = "unseen", _("Visitors cannot see it")


class Kind(TextChoices):
    RECORDS = "records", _("Content items and channels")
    FILES = "files", _("Files")
    WEBSITES = "websites", _("Other websites")


class DeadLink(NamedTuple):
    use: Use
    address: str
    reason: Reason | LinkProblem
    title: str = ""  # of a record
    status: int | None = None  # of the response of another website

    @property
    def is_external(self) -> bool:
        return isinstance(self.reason, LinkProblem)


def find(
    site: Site, uses: QuerySet[MediaUse], external: QuerySet[ExternalLinkUse], kinds: Collection[str] = tuple(Kind)
) -> list[DeadLink]:
    """Return the first dead links of the kinds, in their order, among the uses of the site.

    It reads all its uses of records and files, so it takes longer the more there are. Raises TooSlow.
    """
    found: list[tuple[Kind, Iterator[DeadLink]]] = [
        (Kind.RECORDS, _to_records(site, uses)),
        (Kind.FILES, _to_files(site, uses)),
        (Kind.WEBSITES, _to_websites(external)),
    ]
    with statement_limit(connection, settings.CMS_STATEMENT_SECONDS):
        return list(islice(chain.from_iterable(links for kind, links in found if kind in kinds), MOST))


def record_in(link: DeadLink) -> Named | None:
    """Return the record that the link names; None for a file."""
    return named_in(link.address.removeprefix("@/"))


def count_links(contents: Collection[Content]) -> int:
    """Return how many other texts link to the contents by id."""
    addresses = [address_by_id(CONTENT, content.pk).removeprefix("@/") for content in contents]
    linking = MediaUse.objects.filter(site_id__in={content.site_id for content in contents}, address__in=addresses)
    own = Q(source__startswith="content.", source_id__in=[content.pk for content in contents])
    return linking.exclude(own).values("source", "source_id").distinct().count()


def _to_records(site: Site, uses: QuerySet[MediaUse]) -> Iterator[DeadLink]:
    linked = uses.filter(links_in_uses())
    addresses = linked.order_by("address").values_list("address", flat=True).distinct()
    names = {address: named for address in addresses if (named := named_in(address))}
    states = _hidden_among(site, names.values())
    dead = {address: states[named] for address, named in names.items() if named in states}
    for address, use in _uses_of(linked, sorted(dead)):
        yield DeadLink(use, f"@/{address}", *dead[address])


def _hidden_among(site: Site, records: Collection[Named]) -> dict[Named, tuple[Reason, str]]:
    """Return those of the records that visitors cannot see, with their titles."""
    found: dict[Named, tuple[Reason, str]] = dict.fromkeys(records, (Reason.MISSING, ""))
    contents = Content.objects.values_list("pk", "title", "trashed_at", "is_checked")
    channels = Channel.objects.values_list("pk", "channel_name", "trashed_at", "site__trashed_at")
    for kind, rows in ((CONTENT, contents), (CHANNEL, channels)):
        ids = sorted(pk for each, pk in records if each == kind)
        for start in range(0, len(ids), _AT_A_TIME):
            for pk, title, trashed_at, is_checked in rows.filter(site=site, pk__in=ids[start : start + _AT_A_TIME]):
                if trashed_at:
                    found[kind, pk] = (Reason.TRASHED, title)
                elif kind == CONTENT and not is_checked:
                    found[kind, pk] = (Reason.HIDDEN, title)
                else:
                    del found[kind, pk]
    return found


def _to_files(site: Site, uses: QuerySet[MediaUse]) -> Iterator[DeadLink]:
    stored = MediaFile.objects.listed().filter(site=site)
    lacking = uses.filter(~Exists(stored.filter(path=OuterRef("address"))), address__startswith=_FILES)
    addresses = list(lacking.order_by("address").values_list("address", flat=True).distinct()[: 4 * MOST])
    # Not all texts encode blanks and brackets: their addresses end before these.
    whole = set(stored.alias(cut=Cut("path")).filter(cut__in=addresses).values_list(Cut("path"), flat=True))
    # A percent-encoded address, and that of a smaller form, count in the other form, too.
    dead = [path for path in in_library(site, addresses) if path not in whole and unquote(path) == path]
    trashed = set(
        MediaFile.objects.filter(site=site, path__in=dead, trashed_at__isnull=False).values_list("path", flat=True)
    )
    found = list(_uses_of(uses, dead))
    longer = _longer_of(uses, [use for _address, use in found])
    for address, use in found:
        if not any(
            other.startswith(address) and other[len(address)] in ENDS for other in longer[use] if other != address
        ):
            yield DeadLink(use, f"@/{address}", Reason.TRASHED if address in trashed else Reason.MISSING)


def _to_websites(uses: QuerySet[ExternalLinkUse]) -> Iterator[DeadLink]:
    # Not a condition of the join, for which SQLite would read all uses.
    rows = uses.filter(link_id__in=ExternalLink.objects.filter(is_dead=True).values("pk"))
    rows = rows.order_by("link_id", "content_id")
    columns = ("content_id", "link__address", "link__problem", "link__status")
    for content_id, address, problem, status in rows.values_list(*columns)[:MOST]:
        yield DeadLink(Use(UseSource.BODY, content_id), address, LinkProblem(problem), status=status)


def _longer_of(uses: QuerySet[MediaUse], found: Collection[Use]) -> dict[Use, set[str]]:
    """Return the addresses in the same texts: the beginning of one with a blank in it has a row of its own."""
    longer: defaultdict[Use, set[str]] = defaultdict(set)
    rows = uses.filter(source_id__in={use.source_id for use in found}, source__in={use.source for use in found})
    for address, source, source_id in rows.values_list("address", "source", "source_id"):
        longer[Use(UseSource(source), source_id)].add(address)
    return longer


def _uses_of(uses: QuerySet[MediaUse], addresses: list[str]) -> Iterator[tuple[str, Use]]:
    rows = uses.filter(address__in=addresses[:MOST]).order_by("address", "source", "source_id")
    for address, source, source_id in rows.values_list("address", "source", "source_id")[:MOST]:
        yield address, Use(UseSource(source), source_id)
