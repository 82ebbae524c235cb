"""Collects the links: it follows the events of contents, and reads all contents once, in small transactions.

Rows are added and deleted here only, by one process at a time; `checking` changes them.
"""

from collections.abc import Collection, Iterator
from itertools import islice
from time import monotonic
from typing import Any, TypeVar

from django.conf import settings
from django.db import connection
from django.db.models import Exists, F, OuterRef
from django.db.models.functions import Coalesce
from django.db.transaction import atomic

from contents.external_links.addresses import addresses_in
from contents.models import Content, ExternalHost, ExternalLink, ExternalLinkProgress, ExternalLinkUse
from core.lib import clock
from events.following import changed_after
from events.models import Numbering
from events.numbering import lock_numbering

FORM = 1  # incremented if other links are collected
_RECORDS = 50  # contents in a transaction
_SECONDS = 2.0  # of one call of the periodic task
_AT_A_TIME = 500  # values in a statement
Value = TypeVar("Value")


def follow() -> None:
    """Periodic task."""
    end = monotonic() + _SECONDS
    while settings.CMS_CHECK_LINKS and step() and monotonic() < end:
        pass


def is_complete() -> bool:
    """Return false if some links have not been checked, or may be missing."""
    progress = ExternalLinkProgress.objects.first()
    is_collected = progress is not None and progress.built_to is None
    return is_collected and not ExternalLink.objects.filter(checked_at=None).exists()


def step() -> bool:
    """Read some contents; return false if there are none left, or another process is reading them."""
    if not _is_due(ExternalLinkProgress.objects.first(), Numbering.objects.first()):
        return False
    with atomic():
        if (progress := _locked()) is None:
            return False
        if _is_outdated(progress, Numbering.objects.first()):
            progress.form, progress.built_to = FORM, 0
            progress.position = lock_numbering().last_position
            progress.save(update_fields=["form", "built_to", "position"])
        return _follow_events(progress) or _build_some(progress)


def _is_due(progress: ExternalLinkProgress | None, numbering: Numbering | None) -> bool:
    if progress is None or progress.built_to is not None or _is_outdated(progress, numbering):
        return True
    return numbering is not None and numbering.last_position > progress.position


def _is_outdated(progress: ExternalLinkProgress, numbering: Numbering | None) -> bool:
    return progress.form != FORM or progress.position < (numbering.deleted_position if numbering else 0)


def _locked() -> ExternalLinkProgress | None:
    ExternalLinkProgress.objects.bulk_create(
        [ExternalLinkProgress(pk=1, form=0, position=0, built_to=0)], ignore_conflicts=True
    )
    can_skip = connection.features.has_select_for_update_skip_locked
    return ExternalLinkProgress.objects.select_for_update(skip_locked=can_skip).first()


def _follow_events(progress: ExternalLinkProgress) -> bool:
    ids, position = changed_after(progress.position, "content", most=_RECORDS, up_to=progress.built_to)
    if position == progress.position:
        return False
    _store(ids)
    progress.position = position
    progress.save(update_fields=["position"])
    return True


def _build_some(progress: ExternalLinkProgress) -> bool:
    if (after := progress.built_to) is None:
        return False
    ids = list(Content.objects.filter(pk__gt=after).order_by("pk").values_list("pk", flat=True)[:_RECORDS])
    uses = ExternalLinkUse.objects.filter(content_id__gt=after)
    uses = uses.filter(content_id__lte=ids[-1]) if len(ids) == _RECORDS else uses
    _store({*ids, *uses.values_list("content_id", flat=True).distinct()})
    progress.built_to = ids[-1] if len(ids) == _RECORDS else None
    progress.save(update_fields=["built_to"])
    return True


def _store(content_ids: Collection[int]) -> None:
    """Store the links of the contents in place of the former ones."""
    if not content_ids:
        return
    hosts, links, sites = dict[str, str](), set[tuple[int, str]](), dict[int, int]()
    for content_id, site_id, found in _read(content_ids):
        hosts |= found
        links |= {(content_id, address) for address in found}
        sites[content_id] = site_id
    numbers = _numbers_of(hosts)
    new = {(content_id, numbers[address]) for content_id, address in links}
    old = set(ExternalLinkUse.objects.filter(content_id__in=content_ids).values_list("content_id", "link_id"))
    ExternalLinkUse.objects.bulk_create(
        ExternalLinkUse(content_id=content_id, link_id=link_id, site_id=sites[content_id])
        for content_id, link_id in sorted(new - old)
    )
    _delete(old - new)


def _read(content_ids: Collection[int]) -> Iterator[tuple[int, int, dict[str, str]]]:
    """Yield the id, site and links of those of the contents that are public."""
    columns = ("pk", "site_id", "site__web_url", "settings_xml", "body__text", "summary", "link_url", "file_url")
    rows: Any = Content.objects.live().checked().filter(pk__in=content_ids).values_list(*columns)
    for content_id, site_id, web_url, custom, body, summary, *values in rows:
        yield content_id, site_id, addresses_in((body or "", summary), values, custom, web_url)


def _numbers_of(hosts: dict[str, str]) -> dict[str, int]:
    """Return the ids of the links by address; new ones are due at once. `hosts`: name of the host by address."""
    found = _stored_numbers(hosts)
    if not (missing := sorted(hosts.keys() - found.keys())):
        return found
    now, names = clock.steady(), sorted({hosts[address] for address in missing})
    ExternalHost.objects.bulk_create([ExternalHost(name=name) for name in names], ignore_conflicts=True)
    numbers = dict(ExternalHost.objects.filter(name__in=names).values_list("name", "pk"))
    ExternalLink.objects.bulk_create(
        ExternalLink(address=address, host_id=numbers[hosts[address]], next_at=now) for address in missing
    )
    # After the links: `checking` reads these under the lock of the host.
    ExternalHost.objects.filter(pk__in=numbers.values()).update(next_at=Coalesce(F("paused_until"), now))
    return found | _stored_numbers(missing)


def _stored_numbers(addresses: Collection[str]) -> dict[str, int]:
    found = dict[str, int]()
    for some in _some_of(addresses):
        found |= ExternalLink.objects.filter(address__in=some).values_list("address", "pk")
    return found


def _some_of(values: Collection[Value]) -> Iterator[list[Value]]:
    rest = iter(values)
    while some := list(islice(rest, _AT_A_TIME)):
        yield some


def _delete(uses: Collection[tuple[int, int]]) -> None:
    """Delete uses, and the links and hosts that have none left."""
    for content_id in {content_id for content_id, _link_id in uses}:
        gone = [link_id for content, link_id in uses if content == content_id]
        ExternalLinkUse.objects.filter(content_id=content_id, link_id__in=gone).delete()
    for some in _some_of({link_id for _content_id, link_id in uses}):
        unused = ExternalLink.objects.filter(~Exists(ExternalLinkUse.objects.filter(link=OuterRef("pk"))), pk__in=some)
        rows = list(unused.values_list("pk", "host_id"))
        ExternalLink.objects.filter(pk__in=[pk for pk, _host_id in rows]).delete()
        hosts = ExternalHost.objects.filter(pk__in={host_id for _pk, host_id in rows})
        hosts.filter(~Exists(ExternalLink.objects.filter(host=OuterRef("pk")))).delete()
