"""`manage.py doctor`: what is wrong or risky about this installation."""

import json
import sys
from argparse import ArgumentParser
from collections import Counter
from typing import Any

from django.core.management.base import BaseCommand

from cms_api.operation.doctor.examinations import Grade, Result, examine


class Command(BaseCommand):
    help = (
        "Looks at the running installation (settings, secrets, database, triggers, servers, jobs, keys, old data) and "
        "says what is wrong or risky, and what to do. Changes no data. Exits with 0, with 1 when something is wrong; "
        "with --strict also when something is risky."
    )
    requires_system_checks = []  # wrong settings are among what it tells

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--thorough", action="store_true", help="read whole tables, too: minutes for a million contents"
        )
        parser.add_argument("--strict", action="store_true", help="exit with 1 for what is risky, too")
        parser.add_argument("--json", action="store_true", help="one JSON object on stdout, for programs")

    def handle(self, *, thorough: bool, strict: bool, **options: Any) -> None:
        results = []
        for result in examine(is_thorough=thorough):
            results.append(result)
            if not options["json"]:
                self._tell(result)
        number = Counter(finding.grade for result in results for finding in result.findings)
        if options["json"]:
            self.stdout.write(json.dumps(_as_object(results, number), ensure_ascii=False))
        else:
            self.stdout.write(f"wrong={number[Grade.WRONG]} risky={number[Grade.RISKY]}")
        if number[Grade.WRONG] or (strict and number[Grade.RISKY]):
            sys.exit(1)

    def _tell(self, result: Result) -> None:
        if not result.findings:
            self.stdout.write(
                f"{result.subject}: {'well' if result.was_made else 'left out, the database cannot be used'}"
            )
        for finding in result.findings:
            style = self.style.ERROR if finding.grade is Grade.WRONG else self.style.WARNING
            self.stdout.write(f"{result.subject}: {style(finding.grade.upper())}: {finding.told}")
            if finding.remedy:
                self.stdout.write(f"    {finding.remedy}")


def _as_object(results: list[Result], number: "Counter[Grade]") -> dict[str, Any]:
    subjects = [
        {
            "subject": result.subject,
            "wasMade": result.was_made,
            "findings": [
                {"grade": finding.grade, "message": finding.told, "remedy": finding.remedy}
                for finding in result.findings
            ],
        }
        for result in results
    ]
    return {"wrong": number[Grade.WRONG], "risky": number[Grade.RISKY], "subjects": subjects}
