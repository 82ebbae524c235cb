"""Exports a site into a folder: files, pages, page numbers, then the removal of obsolete files."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from django.conf import settings
from django.core.files.storage import default_storage
from django.http import HttpRequest
from django.urls import resolve

from channels_app.tree import read_tree
from core.archive.commands import Progress
from core.archive.errors import ArchiveError
from core.lib.media_storage import SITE_FILES
from media_library.filling import is_filling
from pages import sitemaps
from pages.export import uses
from pages.export.assets import Assets
from pages.export.folder import Folder, UnfitPath
from pages.export.links import Links
from pages.export.manifest import Finished, Manifest
from pages.export.parallel import Workers, workers
from pages.export.targets import Target, Targets, folder_of
from pages.export.versions import version_of
from pages.export.work import SCRIPT, Plan
from pages.fragments import asking_template
from pages.resolver import Addresses
from pages.site_facts import facts_of
from pages.site_lookup import FoundSite, Place
from pages.views import is_document
from sites.addresses import split_host
from sites.models import Site

_CLAIMED = 500  # pages at a time
_PORTION = 25  # of them, those that a process renders together
_SHOWN = 20  # problems and links


@dataclass(frozen=True)
class Options:
    url: str = ""  # scheme and host of the files, for sitemap.xml
    service: str = ""
    since_last: bool = False
    force: bool = False
    workers: int = 1
    checks_links: bool = True
    all_files: bool = False  # not only the uploads that pages use


@dataclass
class Report:
    counts: Counter[str]
    files: Counter[str]
    renditions: Counter[str]
    left_out: int = 0  # uploads
    removed: int = 0
    is_continued: bool = False
    is_current: bool = False  # nothing has changed since the last export
    problems: tuple[int, list[tuple[str, str]]] = (0, [])
    dead_links: tuple[int, list[tuple[str, str, str]]] = (0, [])


def export(site: Site, root: Path, options: Options, progress: Progress) -> Report:
    """Raises ArchiveError, OSError and OperationalError; the next export then continues."""
    if not site.templates.exists():
        raise ArchiveError(f"Site {site.pk} has no templates, and so no pages.")
    folder = Folder(root)
    folder.prepare(force=options.force)
    with folder.locked():
        return _Export(site, folder, options, progress).run()


class _Export:
    def __init__(self, site: Site, folder: Folder, options: Options, progress: Progress) -> None:
        self._site, self._folder, self._options, self._progress = site, folder, options, progress
        self._folds = folder.ignores_case
        self._report = Report(Counter(), Counter(), Counter())
        self._run = 0

    def run(self) -> Report:
        self._progress.begin("contents compared")
        options = self._options
        further = repr([settings.CMS_RENDITION_WIDTHS, options.all_files])
        version = version_of(self._site, options.url, options.service, further)
        manifest = Manifest(self._folder.manifest, folds=self._folds)
        if manifest.get("site") not in {"", str(self._site.pk)}:
            raise ArchiveError(f"{self._folder.root} is an export of another site.")
        manifest.set(site=self._site.pk)
        report = self._report
        report.is_current = self._options.since_last and manifest.is_current(version)
        self._run, report.is_continued = manifest.begin(version, keeps_pages=report.is_current)
        if report.is_current:
            report.counts["unchanged"] = manifest.keep_pages(self._run)
        manifest.close()  # connections are not for other processes
        plan = Plan(
            self._site.pk, self._folder.root, self._folds, self._run, self._options.service, self._options.checks_links
        )
        with workers(plan, 1 if report.is_current else self._options.workers) as pool:
            self._manifest = Manifest(self._folder.manifest, folds=self._folds)
            self._write(pool)
        self._finish()
        return report

    def _write(self, pool: Workers) -> None:
        links, checks_links = Links(self._site.web_url), self._options.checks_links
        assets = Assets(self._site.pk, self._folder, self._manifest, self._run, links, checks_links=checks_links)
        self._progress.begin("files")
        assets.copy(self._progress.advance, documents=False)
        addresses = Addresses(read_tree(self._site.pk))
        self._write_own(addresses)
        if not self._report.is_current:
            if self._options.service and not self._options.all_files:
                self._note_fragments(addresses)
            targets = Targets(addresses)
            self._progress.begin("pages", targets.count())
            self._write_targets(pool, targets, self._report.counts)
            self._progress.begin("page numbers", self._manifest.count_numbers(self._run))
            self._write_targets(pool, self._numbers(), self._report.counts)
        self._progress.begin("files")
        assets.copy(self._progress.advance, documents=True)
        assets.copy_uploads(self._progress.advance, all_files=self._options.all_files)
        self._report.files, self._report.left_out = assets.counts, assets.left_out
        self._progress.begin("renditions", self._manifest.count_renditions())
        self._write_targets(pool, self._manifest.renditions(), self._report.renditions)

    def _note_fragments(self, addresses: Addresses) -> None:
        """Note the uploads that parts of pages may show for some query. Raises ArchiveError."""
        facts = facts_of(addresses.tree)
        if not any(asking_template(facts, template).positions for template in facts.templates.values()):
            return
        if is_filling():
            message = (
                "The service still searches texts for the files that they use. Try again later, or add --all-files."
            )
            raise ArchiveError(message)
        self._manifest.add_used((uses.key_of(f"/{path}"), SCRIPT) for path in uses.public_uploads(self._site.pk))

    def _write_targets(self, pool: Workers, targets: Iterable[Target], counts: Counter[str]) -> None:
        for outcome in pool.write(self._claimed(iter(targets))):
            counts.update(outcome)
            self._progress.advance(outcome.total())

    def _claimed(self, targets: Iterator[Target]) -> Iterator[list[Target]]:
        while some := list(islice(targets, _CLAIMED)):
            fit = [target for target in some if self._fits(target)]
            claimed = self._manifest.claim(self._run, fit)
            self._progress.advance(len(some) - len(claimed))
            # Pages of one channel often show the same lists.
            claimed.sort(key=lambda target: target.channel_id)
            for first in range(0, len(claimed), _PORTION):
                yield claimed[first : first + _PORTION]

    def _fits(self, target: Target) -> bool:
        try:
            self._folder.file_of(target.file)
        except UnfitPath as error:
            self._manifest.report(target.file, str(error))
            return False
        if uses.is_upload(target.file) and not is_document(target.file):  # a stored file comes before the page
            name = f"{SITE_FILES.folder}/{self._site.pk}{target.file}"
            if default_storage.exists(name):
                self._manifest.add_used([(uses.key_of(target.file), target.file)])
                return False
        return True

    def _numbers(self) -> Iterator[Target]:
        for target, count in self._manifest.numbered(self._run):
            yield from (target._replace(number=number) for number in range(2, count + 1))

    def _write_own(self, addresses: Addresses) -> None:
        """Write the script, and sitemap.xml and robots.txt unless the site has its own."""
        if self._options.service:
            script = Path(__file__).with_name("fragments.js").read_bytes()
            self._write_file(SCRIPT, [script])
        web_url = self._site.web_url
        if self._options.url:
            web_url = f"{self._options.url}{split_host(web_url)[1]}"
        if "//" in web_url:
            site = FoundSite(self._site.pk, web_url, has_templates=True, tree_number=None, contents_number=0)
            self._write_sitemap(addresses, Place(site, folder_of(addresses.tree)))

    def _write_sitemap(self, addresses: Addresses, place: Place) -> None:
        names, parts = ["/robots.txt", "/sitemap.xml"], sitemaps.count_parts(place, addresses.for_search_engines())
        names += [f"/sitemap-{number}.xml" for number in range(1, parts + 1)] if parts > 1 else []
        own = {path for path, _ in addresses.named()}
        request = HttpRequest()
        request.method = "GET"
        for name in names:
            if f"{place.folder}{name}" not in own:
                view = resolve(name, "pages.urls")
                self._write_file(name, view.func(request, place, addresses, **view.kwargs))

    def _write_file(self, path: str, pieces: Iterable[bytes]) -> None:
        if self._manifest.claim(self._run, [Target(path, channel_id=0)]):
            written = self._folder.write(path, pieces)
            self._manifest.finish(self._run, [Finished(path, 1, *written, "")])

    def _finish(self) -> None:
        manifest, report = self._manifest, self._report
        for paths in manifest.outdated(self._run):
            for path, was_written in paths.items():
                report.removed += self._remove(path) and was_written
            manifest.forget(paths)
        report.problems = manifest.problems(_SHOWN)
        if self._options.checks_links:
            report.dead_links = manifest.dead_links(_SHOWN)
        if not report.problems[0]:
            manifest.set(complete="yes")
        manifest.close()
        self._progress.end()

    def _remove(self, path: str) -> bool:
        try:
            self._folder.remove(path)
        except UnfitPath:  # no export writes such a path
            return False
        return True
