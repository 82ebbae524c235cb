"""Uploads and other stored files of a site, copied from the media storage."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from django.core.files.storage import default_storage

from core.archive import media
from core.lib.media_storage import ASSETS, SITE_FILES, extension_of
from media_library.replaced import replaced_paths
from media_library.uses import cut
from pages.export import uses
from pages.export.folder import Folder
from pages.export.links import Links
from pages.export.manifest import Finished, Manifest
from pages.export.targets import Target

_AT_A_TIME = 200
DOCUMENTS = frozenset({"htm", "html"})
_WITH_LINKS = DOCUMENTS | {"svg"}
# Types whose texts may name uploads.
_TEXTS = _WITH_LINKS | {"css", "js", "json", "less", "mjs", "vtt", "webmanifest", "xml"}
_MAX_TEXT = 16_000_000  # characters that are searched
_MAX_STYLES = 2_000_000  # bytes of a style sheet whose links are checked


class Stamps:
    """Values that differ if the stored files of a site do."""

    def __init__(self, site_id: int) -> None:
        self._root = f"{SITE_FILES.folder}/{site_id}"
        self._replaced = {f"/{path}" for path in replaced_paths(site_id)}

    def of(self, path: str, known: str) -> str:
        """Return the value of a file whose last one is known; of uploads in the library, only replaced ones change."""
        is_listed = path.startswith(f"/{uses.FOLDER}/") and extension_of(path) not in ASSETS
        if known and is_listed and path not in self._replaced:
            return known
        name = f"{self._root}{path}"
        return f"{media.size_of(name)} {default_storage.get_modified_time(name).isoformat()}"


class Assets:
    def __init__(
        self, site_id: int, folder: Folder, manifest: Manifest, run: int, links: Links, *, checks_links: bool
    ) -> None:
        self._root, self._folder, self._manifest, self._run = f"{SITE_FILES.folder}/{site_id}", folder, manifest, run
        self._links, self._checks_links = links, checks_links
        self._stamps = Stamps(site_id)
        self._uploads = f"{self._root}/{uses.FOLDER}"
        self.counts = Counter[str]()
        self.left_out = 0

    def copy(self, advance: Callable[[int], None], *, documents: bool) -> None:
        """Copy documents, which come after pages of the same path, or all other files; no uploads."""
        for paths in _portions(self._paths(media.names(self._root, without=self._uploads))):
            self._copy([path for path in paths if (extension_of(path) in DOCUMENTS) == documents])
            advance(len(paths))

    def copy_uploads(self, advance: Callable[[int], None], *, all_files: bool) -> None:
        """Copy the uploads that pages and copied files use."""
        used = -1
        while used != (used := self._manifest.count_used()):  # copied files may name further ones
            self.left_out = 0
            for paths in _portions(self._paths(media.names(self._uploads))):
                chosen = [path for path in paths if all_files or self._is_used(path)]
                self._copy(chosen)
                self.left_out += len(paths) - len(chosen)
                advance(len(paths))

    def _is_used(self, path: str) -> bool:
        return self._manifest.is_used({uses.key_of(path), uses.key_of(f"/{cut(path[1:])}")})

    def _paths(self, names: Iterable[str]) -> Iterator[str]:
        for name in names:
            if SITE_FILES.names.fullmatch(name.removeprefix(f"{SITE_FILES.folder}/")):
                yield name.removeprefix(self._root)

    def _copy(self, paths: Iterable[str]) -> None:
        claimed = self._manifest.claim(self._run, (Target(path, channel_id=0) for path in paths))
        finished = []
        for target in claimed:
            done = self._copy_one(target.path)
            if done:
                finished.append(done)
            if extension_of(target.path) in _TEXTS and self._folder.find(target.path):
                self._note_uses(target.path)  # also of the former copy of a file that cannot be read
        self._manifest.finish(self._run, finished)

    def _copy_one(self, path: str) -> Finished | None:
        name = f"{self._root}{path}"
        known, found = self._manifest.known(path), self._folder.find(path)
        try:
            mark = self._stamps.of(path, known[2] if known else "")
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
        return Finished(path, 1, *written, mark)

    def _note_uses(self, path: str) -> None:
        with open(self._folder.file_of(path), encoding="utf-8", errors="replace") as file:
            text = file.read(_MAX_TEXT)
        targets: set[str] = set()
        if extension_of(path) == "css":
            targets = self._links.of_style_sheet(text, path)
            if self._checks_links and len(text) <= _MAX_STYLES:
                self._manifest.add_links((target, path) for target in targets)
        elif extension_of(path) in _WITH_LINKS:
            targets = self._links.of_page(text, path)
        self._manifest.add_used((key, path) for key in uses.named_by(text, targets))


def _portions(paths: Iterator[str]) -> Iterator[list[str]]:
    while portion := list(islice(paths, _AT_A_TIME)):
        yield portion
