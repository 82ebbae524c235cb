"""`manage.py list_api_keys`: every key with its owner, scopes, sites, state, limit and last uses."""

import json
import unicodedata
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from apikeys.models import ApiKey, ApiKeyToken, State

_COLUMNS = ["name", "owner", "scopes", "sites", "state", "expires", "limit", "last use", "last use of the old token"]


class Command(BaseCommand):
    help = (
        "Lists the API keys that open something, with owner, scopes, sites, state, the requests that they may send in "
        "a minute, and the last use of the present token and of the old one that still overlaps. Tokens are stored "
        "nowhere and not shown."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--all", action="store_true", help="also those that are revoked or expired, or whose owner is locked"
        )
        parser.add_argument("--json", action="store_true", help="as a JSON list")

    def handle(self, *, all: bool, json: bool, **options: Any) -> None:
        keys = ApiKey.objects.select_related("administrator").prefetch_related("tokens").order_by("name")
        records = [_record(key) for key in (keys if all else keys.in_state(State.VALID))]
        if json:
            self.stdout.write(_as_json(records))
            return
        for line in _table(records):
            self.stdout.write(line)


def _on_one_line(text: str) -> str:
    """The text without what has power over a terminal: line ends and other control characters."""
    return "".join(letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in text)


def _record(key: ApiKey) -> dict[str, Any]:
    tokens = {token.slot: token for token in key.tokens.all()}
    current, previous = tokens.get(ApiKeyToken.Slot.CURRENT), tokens.get(ApiKeyToken.Slot.PREVIOUS)
    site_ids = key.parse_site_ids()
    return {
        "name": key.name,
        "owner": key.administrator.user_name,
        "scopes": key.scopes.split(",") if key.scopes else [],
        "sites": None if site_ids is None else sorted(site_ids),
        "state": str(key.state.label),
        "expires": _time(key.expires_at),
        "requestsPerMinute": key.request_limit or None,
        "publicPart": current.public_part if current else None,
        "lastUse": _time(current.last_used_at if current else None),
        "oldPublicPart": previous.public_part if previous else None,
        "oldEnds": _time(previous.valid_until if previous else None),
        "oldLastUse": _time(previous.last_used_at if previous else None),
    }


def _time(moment: Any) -> str | None:
    return None if moment is None else moment.isoformat(" ", "seconds")


def _as_json(records: list[dict[str, Any]]) -> str:
    return json.dumps(records, indent=2, ensure_ascii=False)


def _table(records: list[dict[str, Any]]) -> list[str]:
    rows = [_COLUMNS, *map(_cells, records)]
    widths = [max(map(_width, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell + " " * (width - _width(cell)) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def _cells(record: dict[str, Any]) -> list[str]:
    old = f"{record['oldLastUse'] or 'never'}, ends {record['oldEnds']}" if record["oldEnds"] else "-"
    return [
        _on_one_line(record["name"]),
        _on_one_line(record["owner"]),
        ",".join(record["scopes"]) or "none",
        "all" if record["sites"] is None else ",".join(map(str, record["sites"])),
        record["state"],
        record["expires"] or "never",
        str(record["requestsPerMinute"] or "any"),
        record["lastUse"] or "never",
        old,
    ]


def _width(text: str) -> int:
    """Columns of a terminal: a Chinese character takes two."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)
