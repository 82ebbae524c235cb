import json as json_format  # `json` is the name of the option
import unicodedata
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.db.models import Prefetch

from apikeys.models import ApiKey, ApiKeyToken, KeyState, LegacyToken

_COLUMNS = [
    *("name", "owner", "scopes", "sites", "state", "expires", "limit"),
    *("last use", "last use of the old token", "last use of the original key"),
]


class Command(BaseCommand):
    help = (
        "Lists the valid API keys with their owner, scopes, sites, state, expiry and rate limit, and the last uses of "
        "their valid tokens."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--all",
            action="store_true",
            help="include keys that are revoked, expired, or owned by a locked administrator",
        )
        parser.add_argument("--json", action="store_true", help="print a JSON list")

    def handle(self, *, all: bool, json: bool, **options: Any) -> None:
        keys = ApiKey.objects.select_related("administrator").order_by("name")
        keys = keys.prefetch_related("tokens", Prefetch("legacy_tokens", LegacyToken.objects.accepted()))
        records = [_record(key) for key in (keys if all else keys.in_state(KeyState.VALID))]
        if json:
            self.stdout.write(json_format.dumps(records, indent=2, ensure_ascii=False))
            return
        rows = [_COLUMNS, *map(_cells, records)]
        widths = [max(map(_width, column)) for column in zip(*rows, strict=True)]
        for row in rows:
            padded = (cell + " " * (width - _width(cell)) for cell, width in zip(row, widths, strict=True))
            self.stdout.write("  ".join(padded).rstrip())


def _record(key: ApiKey) -> dict[str, Any]:
    tokens = {token.slot: token for token in key.tokens.all()}
    current, previous = tokens.get(ApiKeyToken.Slot.CURRENT), tokens.get(ApiKeyToken.Slot.PREVIOUS)
    legacy = key.legacy_tokens.all()
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
        "originalEnds": _time(max((token.ends_at for token in legacy), default=None)),
        "originalLastUse": _time(max(filter(None, (token.last_used_at for token in legacy)), default=None)),
    }


def _time(moment: Any) -> str | None:
    return None if moment is None else moment.isoformat(" ", "seconds")


def _cells(record: dict[str, Any]) -> list[str]:
    return [
        _on_one_line(record["name"]),
        _on_one_line(record["owner"]),
        ",".join(record["scopes"]) or "none",
        "all" if record["sites"] is None else ",".join(map(str, record["sites"])),
        record["state"],
        record["expires"] or "never",
        str(record["requestsPerMinute"] or "any"),
        record["lastUse"] or "never",
        *(
            f"{record[f'{one}LastUse'] or 'never'}, ends {record[f'{one}Ends']}" if record[f"{one}Ends"] else "-"
            for one in ("old", "original")
        ),
    ]


def _on_one_line(text: str) -> str:
    return "".join(letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in text)


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)
