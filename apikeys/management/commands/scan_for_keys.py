"""`manage.py scan_for_keys`: finds API keys that have leaked into files."""

import json
import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from apikeys import tokens
from apikeys.models import ApiKeyToken
from apikeys.plain_text import on_one_line
from apikeys.scanning import Finding, Problem, scan
from cms_api.lib.key_filter import hide_keys

FOUND, TROUBLE = 1, 2  # exit codes
_UNKNOWN, _NOT_ASKED = "unknown here", "not looked up"


class Command(BaseCommand):
    help = (
        "Looks for API keys in files and folders and says which keys of this installation they are, never showing one "
        "whole. Files of every kind are read as bytes; compressed ones are not unpacked, and symbolic links in folders "
        "not followed. Exit codes: 0 nothing was found, 1 keys were found, 2 something could not be looked into."
    )
    requires_system_checks = ()  # it works without a database, too

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("paths", metavar="PATH", nargs="+", help="a file or folder, or - for the standard input")
        parser.add_argument("--format", choices=["text", "json"], default="text", help="how findings are printed")

    def handle(self, *, paths: list[str], format: str, **options: Any) -> None:
        self._known: dict[str, tuple[str, str]] = {}
        self._is_database_there = True
        findings, problems = [], 0
        for one in scan(paths, sys.stdin.buffer):
            if isinstance(one, Problem):
                problems += not one.is_note
                self.stderr.write(f"{_shown(one.path)}: {_shown(one.reason)}")
                continue
            record = self._record(one)
            findings.append(record)
            if format == "text":
                self.stdout.write(_line(record))
        if format == "json":
            self.stdout.write(json.dumps({"findings": findings, "complete": not problems}))
        self._leave(len(findings), problems)

    def _record(self, finding: Finding) -> dict[str, Any]:
        if finding.token not in self._known:
            self._known[finding.token] = self._look_up(finding.token)
        name, state = self._known[finding.token]
        public_part = tokens.public_part(finding.token)
        return {
            "path": _shown(finding.path),
            "line": finding.line,
            "key": f"{tokens.PREFIX}{public_part}_…",
            "name": name,
            "state": state,
        }

    def _look_up(self, token: str) -> tuple[str, str]:
        """The name and state of the key whose token it is."""
        if not self._is_database_there:
            return "", _NOT_ASKED
        rows = ApiKeyToken.objects.select_related("api_key__administrator")
        try:
            row = rows.filter(public_part=tokens.public_part(token)).first()
        except DatabaseError as error:
            self._is_database_there = False
            self.stderr.write(f"The database cannot be asked whose keys they are: {_shown(str(error).strip())}")
            return "", _NOT_ASKED
        # A public part is no secret: the rest decides.
        return (row.api_key.name, str(row.state.label)) if row is not None and row.matches(token) else ("", _UNKNOWN)

    def _leave(self, found: int, problems: int) -> None:
        if found:
            told = "1 key was found" if found == 1 else f"{found} keys were found"
            raise CommandError(f"{told}; reset or revoke those that are valid.", returncode=FOUND)
        if problems:
            raise CommandError("Nothing was found, but not everything could be looked into.", returncode=TROUBLE)


def _line(record: dict[str, Any]) -> str:
    name = f' "{_shown(record["name"])}"' if record["name"] else ""
    place = record["path"] + (f":{record['line']}" if record["line"] else " (its name)")
    return f"{place}: {record['key']}{name} ({record['state']})"


def _shown(text: str) -> str:
    """The text on one line; a key in it is not repeated."""
    return on_one_line(hide_keys(text))
