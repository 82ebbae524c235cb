"""Uploads and other stored files of a site, copied from the media storage."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice

from django.core.files.storage import default_storage

from core.archive import media
from core.lib.media_storage import SITE_FILES, extension_of
from media_library.replaced import marks_of
from pages.export.folder import Folder
from pages.export.links import Links
from pages.export.manifest import Finished, Manifest
from pages.export.targets import Target

_AT_A_TIME = 200
_DOCUMENTS = frozenset({"htm", "html"})
_MAX_STYLES = 2_000_000  # bytes of a style sheet whose links are checked
_UPLOAD = re.compile("/upload/")


class Assets:
    def __init__(self, site_id: int, folder: Folder, manifest: Manifest, run: int, links: Links | None) -> None:
        self._site, self._folder, self._manifest, self._run = f"{site_id}", folder, manifest, run
        self._links = links
        self._replaced = {f"/{path}" for path in marks_of(site_id)}
        self.counts = Counter[str]()

    def copy(self, advance: Callable[[int], None], *, documents: bool) -> None:
        """Copy documents, which come after pages of the same path, or all other files."""
        targets = (target for target in self._targets() if (extension_of(target.path) in _DOCUMENTS) == documents)
        while portion := list(islice(targets, _AT_A_TIME)):
            claimed = self._manifest.claim(self._run, portion)
            finished = [done for target in claimed if (done := self._copy_one(target.path))]
            self._manifest.finish(self._run, finished)
            advance(len(portion))

    def _targets(self) -> Iterator[Target]:
        root = f"{SITE_FILES.folder}/{self._site}"
        for name in media.names(root):
            if SITE_FILES.names.fullmatch(name.removeprefix(f"{SITE_FILES.folder}/")):
                yield Target(name.removeprefix(root), channel_id=0)

    def _copy_one(self, path: str) -> Finished | None:
        name = f"{SITE_FILES.folder}/{self._site}{path}"
        known, found = self._manifest.known(path), self._folder.find(path)
        try:
            mark = self._mark(name, path, known[2] if known else "")
            if found is not None and known == (*found, mark):
                written, outcome = found, "unchanged"
            else:
                written, outcome = self._folder.write(path, media.pieces_of(name, media.size_of(name))), "written"
        except FileNotFoundError:  # just removed
            self._manifest.withdraw(path)
            return None
        except (ValueError, OSError) as error:
            self._manifest.report(path, str(error))
            self.counts["failed"] += 1
            return None
        self.counts[outcome] += 1
        if self._links is not None and extension_of(path) == "css" and written.size <= _MAX_STYLES:
            text = self._folder.file_of(path).read_text(encoding="utf-8", errors="replace")
            self._manifest.add_links((target, path) for target in self._links.of_style_sheet(text, path))
        return Finished(path, 1, *written, mark)

    def _mark(self, name: str, path: str, known: str) -> str:
        """Return a value that differs if the stored file does; of uploads, only replaced ones do."""
        if path.startswith("/upload/") and known and path not in self._replaced:
            return known
        return f"{media.size_of(name)} {default_storage.get_modified_time(name).isoformat()}"
