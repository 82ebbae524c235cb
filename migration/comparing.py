"""Compares responses of the original's API, while it still runs, with this service, member by member."""

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from django.conf import settings
from django.test import Client

from channels_app.models import Channel
from contents.models import Content
from migration.context import Context
from migration.layout import Layout
from migration.models import MigratedRecord
from migration.sources.source import SourceError

_CONTENTS = 200  # of each table
_CHANNELS = 50  # of each site
_SECONDS = 20
_MAX_BYTES = 32 * 1024**2
# Numbers that a migration may change, and the address, which may have another host.
_NOT_COMPARED = frozenset({"id", "navigationurl", "referenceid", "taxis"})


class Comparison(NamedTuple):
    compared: int
    different: int


class _Pair(NamedTuple):
    there: str  # path below the original's API
    here: str


def compare(context: Context, layout: Layout, site_ids: frozenset[int], address: str, key: str) -> Comparison:
    """Report each member that differs. Raises SourceError if one of the two services does not answer."""
    if urlsplit(address).scheme not in {"http", "https"}:
        raise SourceError(f"{address} is not an address that begins with http:// or https://.")
    compared = different = 0
    pairs = [*_channels(site_ids), *_contents(layout, site_ids)]
    context.progress.begin("responses", len(pairs))
    for pair in pairs:
        there, here = _ask_original(f"{address.rstrip('/')}/{pair.there}", key), _ask_here(pair.here, key)
        members = list(_differences(there, here))
        for name, one, other in members:
            context.report.find(
                f"A response differs in {name}.", pair.there, f"{one!r:.100} there, {other!r:.100} here"
            )
        compared, different = compared + 1, different + bool(members)
        context.progress.advance(1)
    context.progress.end()
    return Comparison(compared, different)


def _channels(site_ids: frozenset[int]) -> Iterator[_Pair]:
    for site_id in sorted(site_ids):
        for pk in Channel.objects.in_site(site_id).order_by("?").values_list("pk", flat=True)[:_CHANNELS]:
            path = f"v1/channels/{site_id}/{pk}"
            yield _Pair(path, path)


def _contents(layout: Layout, site_ids: frozenset[int]) -> Iterator[_Pair]:
    for table in layout.content_tables:
        ids = MigratedRecord.objects.filter(source_table=table).exclude(digest="").values("target_id")
        chosen = Content.objects.live().filter(pk__in=ids, site_id__in=site_ids).order_by("?")[:_CONTENTS]
        places = {
            pk: f"v1/contents/{site}/{channel}"
            for pk, site, channel in chosen.values_list("pk", "site_id", "channel_id")
        }
        for pk, old in MigratedRecord.objects.filter(source_table=table, target_id__in=places).values_list(
            "target_id", "source_id"
        ):
            yield _Pair(f"{places[pk]}/{old}", f"{places[pk]}/{pk}")


def _ask_original(address: str, key: str) -> Any:
    request = urllib.request.Request(address, headers={"X-SS-API-KEY": key, "Accept": "application/json"})  # noqa: S310 - http or https
    try:
        with urllib.request.urlopen(request, timeout=_SECONDS) as response:  # noqa: S310
            return json.loads(response.read(_MAX_BYTES))
    except urllib.error.HTTPError as error:
        return {"value": {"status": error.code}}
    except (OSError, ValueError) as error:
        raise SourceError(f"{address} does not answer as an API: {error}") from error


def _ask_here(path: str, key: str) -> Any:
    named = (host for host in settings.ALLOWED_HOSTS if not host.startswith((".", "*")))
    response = Client(SERVER_NAME=next(named, "localhost")).get(f"/api/{path}", headers={"X-SS-API-KEY": key})
    if response.status_code == 401:
        raise SourceError(
            "This service does not accept the key; migrate with --with-keys, or name a key that both have."
        )
    return response.json() if response.status_code == 200 else {"value": {"status": response.status_code}}


def _differences(there: Any, here: Any) -> Iterator[tuple[str, Any, Any]]:
    """Yield the members of a response of the original that are missing or different here, by their names."""
    theirs, ours = _members(there), _members(here)
    for folded, (name, value) in theirs.items():
        other = ours.get(folded, (name, None))[1]
        if folded not in _NOT_COMPARED and not _is_same(value, other):
            yield name, value, other


def _members(response: Any) -> dict[str, tuple[str, Any]]:
    value = response.get("value", response) if isinstance(response, dict) else {}
    return {name.casefold(): (name, each) for name, each in value.items()} if isinstance(value, dict) else {}


def _is_same(one: Any, other: Any) -> bool:
    """Return whether two values are equal; null is the empty value, and numbers and flags may be texts."""
    if not one and not other:
        return True
    return one == other or str(one).casefold() == str(other).casefold()
