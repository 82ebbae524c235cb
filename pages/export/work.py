"""The part of an export that runs in several processes: rendering pages and writing their files."""

import errno
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from html import escape
from pathlib import Path
from urllib.parse import quote

from django.db import InterfaceError, OperationalError

from channels_app.tree import Tree, read_tree
from pages import rendering
from pages.export.folder import Folder
from pages.export.links import Links
from pages.export.manifest import Finished, Manifest
from pages.export.shared_source import SharedSource
from pages.export.targets import Target, folder_of
from pages.fragments import asking_template
from pages.site_facts import facts_of

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
        self._linked: set[str] = set()  # targets that are known to be in the manifest

    def write(self, targets: Sequence[Target]) -> Counter[str]:
        """Return how many were written, unchanged, withdrawn or failed."""
        tree = read_tree(self._plan.site_id)
        source, counts = SharedSource(tree, {target.content_id for target in targets} - {0}), Counter[str]()
        finished: list[Finished] = []
        for target in targets:
            try:
                outcome = self._write_one(tree, source, target, finished)
            except (OperationalError, InterfaceError):
                raise
            except Exception as error:
                if isinstance(error, OSError) and error.errno in _FATAL:
                    raise
                self._manifest.report(target.file, f"{type(error).__name__}: {error}")
                outcome = "failed"
            counts[outcome] += 1
        self._manifest.finish(self._plan.run, finished)
        return counts

    def _write_one(self, tree: Tree, source: SharedSource, target: Target, finished: list[Finished]) -> str:
        try:
            html, count = self._render(tree, source, target)
        except rendering.NoSuchContent:  # withdrawn since the list was read
            self._manifest.withdraw(target.file)
            return "withdrawn"
        if self._plan.checks_links:
            self._note_links(tree, html, target.file)
        content = html.encode(errors="replace")
        digest = sha256(content).hexdigest()
        known, found = self._manifest.known(target.file), self._folder.find(target.file)
        if found is not None and known == (*found, digest):
            written, outcome = found, "unchanged"
        else:
            written, outcome = self._folder.write(target.file, [content]), "written"
        finished.append(Finished(target.file, count, *written, digest))
        return outcome

    def _render(self, tree: Tree, source: SharedSource, target: Target) -> tuple[str, int]:
        """Return the page and its number of pages. Raises NoSuchContent."""
        if not target.template_id:
            return _REDIRECT.format(address=escape(target.address)), 1
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
        html = rendered.html
        if asking is not None and asking.positions:
            html = with_script(html, folder_of(tree), self._plan.service, template.pk, target.file)
        return html, rendered.page_count

    def _note_links(self, tree: Tree, html: str, path: str) -> None:
        if self._links is None:
            self._links = Links(tree.site.web_url)
        new = self._links.of_page(html, path) - self._linked
        if new:
            self._manifest.add_links((target, path) for target in new)
            self._linked = new if len(self._linked) > 100_000 else self._linked | new


def with_script(html: str, folder: str, service: str, template_id: int, path: str) -> str:
    """Return the page with the script that fills its fragments, at the end of its body."""
    fragments = escape(f"{service}{quote(folder)}/_fragments/{template_id}/")
    script = (
        f'<script src="{escape(quote(folder))}{SCRIPT}" data-fragments="{fragments}" '
        f'data-page="{escape(quote(path[1:]))}" defer></script>'
    )
    end = html.lower().rfind("</body")
    return f"{html[:end]}{script}{html[end:]}" if end >= 0 else html + script
