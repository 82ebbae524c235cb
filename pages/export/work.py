"""The part of an export that runs in several processes: rendering pages and writing their files."""

import errno
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from hashlib import sha256
from html import escape
from pathlib import Path
from urllib.parse import quote

from django.db import InterfaceError, OperationalError

from channels_app.tree import Tree, read_tree
from media_library.renditions.drawing import Focus
from pages import pictures, rendering
from pages.engine.elements.forms import sent_to
from pages.export import renditions, uses
from pages.export.assets import Stamps
from pages.export.folder import Folder
from pages.export.links import Links
from pages.export.manifest import Finished, Manifest
from pages.export.shared_source import SharedSource
from pages.export.targets import Target, folder_of
from pages.fragments import asking_template
from pages.site_facts import facts_of
from pages.views import is_document
from sites.attributes import has_responsive_pictures

SCRIPT = "/_cms/fragments.js"
# Of the disk, not of one file.
_FATAL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO})
_REDIRECT = """<!DOCTYPE html>
<html><head><meta charset="utf-8"><title>{address}</title><link rel="canonical" href="{address}">
<meta http-equiv="refresh" content="0; url={address}"></head><body><a href="{address}">{address}</a></body></html>
"""


@dataclass(frozen=True)
class Plan:
    site_id: int
    root: Path
    folds: bool  # whether the file system ignores letter case
    run: int
    service: str  # address of the service that renders fragments; empty for none
    checks_links: bool


class Writer:
    """Writes the files of targets that have changed."""

    def __init__(self, plan: Plan) -> None:
        self._plan, self._folder = plan, Folder(plan.root)
        self._manifest = Manifest(self._folder.manifest, folds=plan.folds)
        self._links: Links | None = None
        self._noted: set[tuple[str, bool]] = set()  # links and uses that are known to be in the manifest
        self._stamps: Stamps | None = None

    def write(self, targets: Sequence[Target]) -> Counter[str]:
        """Return how many were written, unchanged, withdrawn or failed."""
        if renditions.is_rendition(targets[0].path):
            return self._write_renditions([target.path for target in targets])
        tree = read_tree(self._plan.site_id)
        links = self._links = self._links or Links(tree.site.web_url)
        source, counts = SharedSource(tree, {target.content_id for target in targets} - {0}), Counter[str]()
        finished: list[Finished] = []
        for target in targets:
            try:
                outcome = self._write_one(tree, source, target, links, finished)
            except (OperationalError, InterfaceError):
                raise
            except Exception as error:
                if isinstance(error, OSError) and error.errno in _FATAL:
                    raise
                self._manifest.report(target.file, f"{type(error).__name__}: {error}")
                self._note_former(links, target.file)
                outcome = "failed"
            counts[outcome] += 1
        self._manifest.finish(self._plan.run, finished)
        return counts

    def _write_one(
        self, tree: Tree, source: SharedSource, target: Target, links: Links, finished: list[Finished]
    ) -> str:
        try:
            html, count, files = self._render(tree, source, target, links)
        except rendering.NoSuchContent:  # withdrawn since the list was read
            self._manifest.withdraw(target.file)
            return "withdrawn"
        self._note_links(links, html, target.file, files)
        content = html.encode(errors="replace")
        digest = sha256(content).hexdigest()
        known, found = self._manifest.known(target.file), self._folder.find(target.file)
        if found is not None and known == (*found, digest):
            written, outcome = found, "unchanged"
        else:
            written, outcome = self._folder.write(target.file, [content]), "written"
        finished.append(Finished(target.file, count, *written, digest))
        return outcome

    def _render(self, tree: Tree, source: SharedSource, target: Target, links: Links) -> tuple[str, int, set[str]]:
        """Return the page, its number of pages, and the renditions that it shows. Raises NoSuchContent."""
        if not target.template_id:
            return _REDIRECT.format(address=escape(target.address)), 1, set()
        facts = facts_of(tree)
        template, channel = facts.templates.get(target.template_id), tree.channels.get(target.channel_id)
        if template is None or channel is None:
            raise rendering.NoSuchContent
        url = f"{folder_of(tree)}{target.path}"
        wanted = rendering.PageRequest(tree, template, channel, target.content_id, target.number, {}, url)
        asking = asking_template(facts, template) if self._plan.service else None
        rendered = rendering.render(wanted, asking, source)
        if target.number > max(1, rendered.page_count):
            raise rendering.NoSuchContent
        html, site = rendered.html, tree.site
        if has_responsive_pictures(site) and is_document(target.path):
            html = pictures.with_sizes(html, site.pk, site.web_url)
        html, files = renditions.with_files(html, target.file, site.pk, site.web_url, links)
        if self._plan.service:
            html = sent_to(html, site.web_url, f"{self._plan.service}{quote(folder_of(tree))}")
        if asking is not None and asking.positions:
            html = with_script(html, folder_of(tree), self._plan.service, template.pk, target.file)
        return html, rendered.page_count, files

    def _note_links(self, links: Links, html: str, path: str, files: Collection[str]) -> None:
        """Note the links of a page, and the uploads and renditions that it uses."""
        targets = links.of_page(html, path)
        used = {(key, True) for key in uses.named_by(html, targets).union(files)}
        linked = {(target, False) for target in targets if not renditions.is_rendition(target)}
        new = (used | linked if self._plan.checks_links else used) - self._noted
        if new:
            self._manifest.add_used((key, path) for key, is_use in new if is_use)
            self._manifest.add_links((target, path) for target, is_use in new if not is_use)
            self._noted = new if len(self._noted) > 100_000 else self._noted | new

    def _note_former(self, links: Links, path: str) -> None:
        """Note what the former file of a page uses that stays since the page has failed."""
        try:
            html = self._folder.file_of(path).read_text(encoding="utf-8", errors="replace")
        except (OSError, ValueError):
            return
        files = filter(renditions.is_rendition, links.of_page(html, path))
        self._note_links(links, html, path, set(files))

    def _write_renditions(self, paths: Sequence[str]) -> Counter[str]:
        self._stamps = self._stamps or Stamps(self._plan.site_id)
        originals = {path: renditions.original_of(path) for path in paths}
        focuses = renditions.focuses(self._plan.site_id, {original.path for original in originals.values()})
        finished, counts = list[Finished](), Counter[str]()
        for path, original in originals.items():
            try:
                if (focus := focuses.get(original.path)) is None:  # not in the library, such as a file in the trash
                    renditions.require_stored(self._plan.site_id, original.path)
                outcome = self._write_rendition(path, original, focus or Focus(), self._stamps, finished)
            except FileNotFoundError:
                self._manifest.withdraw(path)
                if self._plan.checks_links:
                    self._manifest.add_links([(original.path, self._manifest.user_of(path))])
                outcome = "withdrawn"
            except (ValueError, OSError) as error:
                if isinstance(error, OSError) and error.errno in _FATAL:
                    raise
                self._manifest.report(path, str(error))
                outcome = "failed"
            counts[outcome] += 1
        self._manifest.finish(self._plan.run, finished)
        return counts

    def _write_rendition(
        self, path: str, original: renditions.Original, focus: Focus, stamps: Stamps, finished: list[Finished]
    ) -> str:
        known, found = self._manifest.known(path), self._folder.find(path)
        stamp, _, _ = (known[2] or "" if known else "").partition("|")
        mark = f"{stamps.of(original.path, stamp)}|{focus.x} {focus.y}"
        if found is not None and known == (*found, mark):
            written, outcome = found, "unchanged"
        else:
            data = renditions.drawn(self._plan.site_id, original, focus)
            written, outcome = self._folder.write(path, [data]), "written"
        finished.append(Finished(path, 1, *written, mark))
        return outcome


def with_script(html: str, folder: str, service: str, template_id: int, path: str) -> str:
    """Return the page with the script that fills its fragments, at the end of its body."""
    fragments = escape(f"{service}{quote(folder)}/_fragments/{template_id}/")
    script = (
        f'<script src="{escape(quote(folder))}{SCRIPT}" data-fragments="{fragments}" '
        f'data-page="{escape(quote(path[1:]))}" defer></script>'
    )
    end = html.lower().rfind("</body")
    return f"{html[:end]}{script}{html[end:]}" if end >= 0 else html + script
