import os
import sys
from argparse import ArgumentParser, ArgumentTypeError
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from core.archive import schema
from core.archive.commands import ArchiveCommand, Progress
from pages.export.exporting import Options, Report, export
from sites.services import find_site


class Command(ArchiveCommand):
    help = (
        "Writes all pages of a site, and the files that they use, into a folder, for a web server or an object store. "
        "Writes only files that have changed, and removes outdated ones. Continues an export that was interrupted. "
        "Lists pages that failed, and links to files that do not exist. The last line of the output counts the files. "
        "Exits with status 1 if a page failed. See docs/export.md."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("site", metavar="SITE", help="id or folder of the site")
        parser.add_argument("folder", type=Path, metavar="FOLDER", help="folder that is served at the site's address")
        parser.add_argument("--since-last", action="store_true", help="render nothing if the site has not changed")
        parser.add_argument(
            "--url", type=_origin, default="", metavar="URL",
            help="where the files will be, such as https://www.example.org; sitemap.xml and robots.txt need it, unless "
            "the site has a web address of its own",
        )  # fmt: skip
        parser.add_argument(
            "--service", type=_origin, default="", metavar="URL",
            help="address of this service, such as https://cms.example.org, from which pages load search results",
        )  # fmt: skip
        parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes; default: one per core")
        parser.add_argument("--all-files", action="store_true", help="copy also uploads that no page uses")
        parser.add_argument("--no-link-check", action="store_true", help="do not check links")
        parser.add_argument("--force", action="store_true", help="write into a folder that has other files")
        super().add_arguments(parser)

    def work(self, progress: Progress, *, site: str, folder: Path, no_link_check: bool, **given: Any) -> None:
        schema.require_migrated()
        names = ("url", "service", "since_last", "force", "workers", "all_files")
        options = Options(**{name: given[name] for name in names}, checks_links=not no_link_check)
        report = export(find_site(site), folder, options, progress)
        self._print(report, folder)
        if report.problems[0]:
            sys.exit(1)

    def _print(self, report: Report, folder: Path) -> None:
        number, problems = report.problems
        for path, message in problems:
            self.stderr.write(f"{path}: {message}")
        self._print_rest(number - len(problems), "problems")
        dead, links = report.dead_links
        for target, page, other in links:
            hint = f", but {other} does" if other else ""
            self.stdout.write(f"{page} links to {target}, which does not exist{hint}.")
        self._print_rest(dead - len(links), "links that lead nowhere")
        if report.is_current:
            self.stdout.write("Nothing has changed since the last export.")
        pages, files, renditions = (
            each["written"] + each["unchanged"] for each in (report.counts, report.files, report.renditions)
        )
        total = report.counts + report.files + report.renditions
        self.stdout.write(
            f"pages={pages} written={total['written']} unchanged={total['unchanged']} removed={report.removed} "
            f"problems={number} deadLinks={dead} files={files} renditions={renditions} leftOut={report.left_out} "
            f"path={folder.resolve()}"
        )

    def _print_rest(self, number: int, what: str) -> None:
        if number > 0:
            self.stdout.write(f"… and {number} more {what}")


def _origin(text: str) -> str:
    """Return scheme and host; empty if there is no address."""
    if not text:
        return ""
    try:
        parts = urlsplit(text)
    except ValueError as error:
        raise ArgumentTypeError("is not an address") from error
    if (
        parts.scheme not in {"http", "https"}
        or not parts.netloc
        or parts.path.strip("/")
        or parts.query
        or parts.fragment
    ):
        raise ArgumentTypeError("must be a scheme and a host, such as https://www.example.org")
    return f"{parts.scheme}://{parts.netloc}"
