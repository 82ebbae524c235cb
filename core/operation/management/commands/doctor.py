import json
import sys
from argparse import ArgumentParser
from collections import Counter
from typing import Any

from django.core.management.base import BaseCommand

from core import __version__
from core.operation.doctor import Grade, run_checks


class Command(BaseCommand):
    help = (
        "Checks the installation (settings, secrets, media store, database, triggers, servers, jobs, mail server, "
        "keys, old data) and reports problems and risks with their remedies. Changes no data; it stores a file in the "
        "media store and deletes it. Exits with status 1 if something is wrong or, with "
        "--strict, risky."
    )
    requires_system_checks = []  # wrong settings are among its findings

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--thorough", action="store_true", help="also read whole tables; takes minutes for a million contents"
        )
        parser.add_argument("--strict", action="store_true", help="also exit with status 1 if something is risky")
        parser.add_argument("--json", action="store_true", help="print one JSON object, for programs")

    def handle(self, *, thorough: bool, strict: bool, **options: Any) -> None:
        results = []
        if not options["json"]:
            self.stdout.write(f"Version {__version__}")
        for result in run_checks(is_thorough=thorough):
            results.append(result)
            if options["json"]:
                continue
            for noted in result.notes:
                self.stdout.write(f"{result.subject}: {noted.told}")
            if not result.findings and not result.notes:
                told = "OK" if result.was_made else "skipped because the database cannot be used or is not migrated"
                self.stdout.write(f"{result.subject}: {told}")
            for finding in result.findings:
                style = self.style.ERROR if finding.grade is Grade.WRONG else self.style.WARNING
                self.stdout.write(f"{result.subject}: {style(finding.grade.upper())}: {finding.told}")
                if finding.remedy:
                    self.stdout.write(f"    {finding.remedy}")
        number = Counter(finding.grade for result in results for finding in result.findings)
        if options["json"]:
            subjects = [
                {
                    "subject": result.subject,
                    "wasMade": result.was_made,
                    "notes": [noted.told for noted in result.notes],
                    "findings": [
                        {"grade": finding.grade, "message": finding.told, "remedy": finding.remedy}
                        for finding in result.findings
                    ],
                }
                for result in results
            ]
            said = {
                "version": __version__,
                "wrong": number[Grade.WRONG],
                "risky": number[Grade.RISKY],
                "subjects": subjects,
            }
            self.stdout.write(json.dumps(said, ensure_ascii=False))
        else:
            self.stdout.write(f"wrong={number[Grade.WRONG]} risky={number[Grade.RISKY]}")
        if number[Grade.WRONG] or (strict and number[Grade.RISKY]):
            sys.exit(1)
